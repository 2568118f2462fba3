"""Bytes per event on disk: the heap and every index, as appending leaves them.

Events arrive in batches of 1000 for runs that are under way side by side: each event goes to one of 500 open runs at
random, a run ends with its 20th event, and a new one begins. Run ids are random UUIDs; time-ordered ones are counted as
well, in the same order of arrival.
"""

import json
import random
import uuid
from collections.abc import Callable, Iterator

from audit import audit
from event import Event
from lab import Connection, Lab
from progress import Progress
from results import Part, Size
from scale import Scale
from statements import APPEND_EVENTS

PARTS = ("bytes",)

_DATABASE = "bench_bytes"
_BATCH = 1000
_OPEN_RUNS = 500
_RUN_LENGTH = 20
_SECONDS_PER_EVENT = 0.0001

_RELATIONS = """
select 'heap', pg_relation_size('runstore.run_events')
union all
select c.relname, pg_relation_size(c.oid)
from pg_index as i
inner join pg_class as c on i.indexrelid = c.oid
where i.indrelid = 'runstore.run_events'::regclass
union all
select
    'free space and visibility maps, TOAST',
    pg_table_size('runstore.run_events') - pg_relation_size('runstore.run_events')
"""
_COUNTERS = "select count(*), pg_total_relation_size('runstore.run_counters') from runstore.run_counters"


def _random_id(number: int) -> str:
    return str(uuid.uuid4())


def _time_ordered_id(number: int) -> str:
    """Return a UUID v7 whose time is some milliseconds after the one before."""
    milliseconds = f"{1_750_000_000_000 + number * 40:012x}"
    return f"{milliseconds[:8]}-{milliseconds[8:]}-7{str(uuid.uuid4())[15:]}"


_IDS: dict[str, tuple[Callable[[int], str], float | None]] = {
    "random run ids": (_random_id, 800),
    "time-ordered run ids": (_time_ordered_id, None),
}


def plan(scale: Scale, parts: list[str]) -> float:
    """Return about how many seconds this takes."""
    return len(_IDS) * scale.sized_events * _SECONDS_PER_EVENT if "bytes" in parts else 0


def measure(lab: Lab, scale: Scale, progress: Progress, parts: list[str]) -> list[Part]:
    """Append with either kind of run ids, and count."""
    if "bytes" not in parts:
        return []
    sizes = []
    for name, (make_id, target) in _IDS.items():
        progress.step(f"bytes: {scale.sized_events:,} events, {name}", scale.sized_events * _SECONDS_PER_EVENT)
        lab.create(_DATABASE)
        with lab.connect(_DATABASE, synchronous_commit="off") as connection:
            for batch in _batches(scale.sized_events, make_id):
                text = json.dumps([event.as_json() for event in batch])
                connection.execute(APPEND_EVENTS, (text,)).fetchall()
            audit(connection, scale.sized_events)
            sizes.append(_size(connection, name, scale.sized_events, target))
    lab.drop(_DATABASE)
    return [Part("bytes", sizes=sizes)]


def _batches(events: int, make_id: Callable[[int], str]) -> Iterator[list[Event]]:
    draw = random.Random(1)  # noqa: S311  # the same order of arrival every time
    begun = min(_OPEN_RUNS, events // _RUN_LENGTH)
    # Runs are under way already when we begin to look, so that they do not all end at once.
    open_runs = [make_id(number) for number in range(begun)]
    lengths = [draw.randrange(_RUN_LENGTH) for _ in open_runs]
    for _ in range(events // _BATCH):
        batch = []
        for _ in range(_BATCH):
            place = draw.randrange(len(open_runs))
            batch.append(Event.fresh(open_runs[place]))
            lengths[place] += 1
            if lengths[place] == _RUN_LENGTH:
                open_runs[place] = make_id(begun)
                lengths[place] = 0
                begun += 1
        yield batch


def _size(connection: Connection, name: str, events: int, target: float | None) -> Size:
    relations = {str(relation): size / events for relation, size in connection.execute(_RELATIONS)}
    row = connection.execute(_COUNTERS).fetchone()
    assert row is not None
    runs, counters = row
    return Size(name, events, runs, relations, counters / runs, target)
