"""How long after its append an event is part of the snapshot, in normal operation.

A trigger on run_states notes, in the projector's own transaction, how far each run's snapshot has come. The server
records when transactions commit (track_commit_timestamp). So for every single event the moment is known from which on
readers see a snapshot that contains it, and the lag is counted to it from the event's persisted_at. Nothing is sampled;
the projector bears the cost of the notes.
"""

import time

from lab import Connection, Lab
from progress import Progress
from projection import load, runs
from projection.projector import Projector
from projection.results import MS, PER_SECOND, Figure, Part, quantile
from projection.scale import Scale

PART = "lag"

_DATABASE = "bench_lag"
_PATIENCE = 60
_LIMIT_MS = 1000.0
_SHARES = {"p50": 0.5, "p99": 0.99, "max": 1.0}

_NOTES = (
    "create schema bench",
    'create unlogged table bench.moves (run_id text collate "C" not null, last_event_seq bigint not null)',
    """
    create function bench.note_move() returns trigger language plpgsql as $$
    begin
        insert into bench.moves (run_id, last_event_seq) values (new.run_id, new.last_event_seq);
        return null;
    end
    $$
    """,
    """
    create trigger note_move after insert or update of last_event_seq on runstore.run_states
    for each row execute function bench.note_move()
    """,
)
_INDEX = "create index on bench.moves (run_id, last_event_seq)"
_LAGS = """
select extract(epoch from e.persisted_at)::float8, (extract(epoch from m.seen_at - e.persisted_at) * 1000)::float8
from runstore.run_events as e
left join lateral (
    select pg_xact_commit_timestamp(m.xmin) as seen_at
    from bench.moves as m
    where m.run_id = e.run_id and m.last_event_seq >= e.run_seq
    order by m.last_event_seq
    limit 1
) as m on true
where e.persisted_at >= %s
"""


def plan(scale: Scale) -> float:
    """Return about how many seconds this takes."""
    return runs.store_seconds([], scale.others) + scale.lag_seconds + 5


def measure(lab: Lab, scale: Scale, progress: Progress) -> Part:
    """Append at a fixed rate with one worker running, and compute the lag of every event."""
    progress.step("lag: storing runs", runs.store_seconds([], scale.others))
    lab.server.settings["track_commit_timestamp"] = "on"
    lab.server.restart()
    try:
        return _measure(lab, scale, progress)
    finally:
        del lab.server.settings["track_commit_timestamp"]
        lab.server.restart()


def _measure(lab: Lab, scale: Scale, progress: Progress) -> Part:
    lab.create(_DATABASE)
    with lab.connect(_DATABASE) as connection:
        runs.store(connection, [], scale.others)
        for statement in _NOTES:
            connection.execute(statement.encode())
        began = connection.execute("select clock_timestamp()").fetchone()
    assert began is not None
    progress.step(f"lag: {load.RATE:,} events per second for {scale.lag_seconds} s", scale.lag_seconds + 5)
    with Projector(lab, _DATABASE):
        window = load.at_fixed_rate(lab, _DATABASE, seconds=scale.lag_seconds, segment=1)
        _await_projection(lab)
    with lab.connect(_DATABASE) as connection:
        connection.execute(_INDEX.encode())
        connection.execute("analyze bench.moves")
        events = connection.execute(_LAGS, began).fetchall()
    if len(events) < window.transactions or any(lag is None for _, lag in events):
        raise RuntimeError("not every event has come into a snapshot")
    load.check(lab, _DATABASE, scale, window.transactions, 1)
    lab.drop(_DATABASE)
    lags = [lag for _, lag in events]
    slices = _slices(events, scale.slice_seconds)
    figures = [
        Figure(
            name=f"lag of {len(events):,} events, {name}",
            unit=MS,
            values=[quantile(values, share) for values in slices],
            total=quantile(lags, share),
            at_most=None if name == "p50" else _LIMIT_MS,
        )
        for name, share in _SHARES.items()
    ]
    rate = Figure("rate that was appended", PER_SECOND, [window.per_second])
    return Part(PART, figures=[*figures, rate], quantiles=[quantile(lags, share / 100) for share in range(101)])


def _slices(events: list[tuple[float, float]], seconds: int) -> list[list[float]]:
    """Return the lags by the stretch of time in which the event was appended; what is left over joins the last."""
    first = min(at for at, _ in events)
    count = max(1, int((max(at for at, _ in events) - first + 0.5) // seconds))
    found: list[list[float]] = [[] for _ in range(count)]
    for at, lag in events:
        found[min(count - 1, int((at - first) // seconds))].append(lag)
    return found


def _await_projection(lab: Lab) -> None:
    """Wait until the worker has nothing left to do."""
    deadline = time.monotonic() + _PATIENCE
    with lab.connect(_DATABASE) as connection:
        while _is_behind(connection):
            if time.monotonic() > deadline:
                raise RuntimeError(f"the worker is still behind after {_PATIENCE} s")
            time.sleep(0.1)


def _is_behind(connection: Connection) -> bool:
    return connection.execute("select exists (select from runstore.due_runs)").fetchone() == (True,)
