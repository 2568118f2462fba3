"""Reading the stored snapshot of a run with 1,000 steps, beside a plain SELECT of its step rows.

The figure is the time until the client has the whole answer, as text; it does not parse it.
"""

import time

from lab import Connection, Lab
from progress import Progress
from projection import runs
from projection.results import BYTES, MS, Comparison, Figure, Part, quantile
from projection.runs import WIDE, Run
from projection.scale import Scale

PART = "snapshot"

_DATABASE = "bench_snapshot"
_RUN = Run(1, WIDE, 2002)
_WARM_UP = 5

_SNAPSHOT = "select runstore.get_snapshot(%s)::text"
_ROWS = "select * from runstore.run_steps where run_id = %s"
_SIZE = "select octet_length(runstore.get_snapshot(%s)::text)"


def plan(scale: Scale) -> float:
    """Return about how many seconds this takes."""
    return runs.store_seconds([_RUN], scale.others) + scale.rounds * _round_seconds(scale)


def measure(lab: Lab, scale: Scale, progress: Progress) -> Part:
    """Read both in turns, call by call."""
    progress.step("snapshot: storing the run", runs.store_seconds([_RUN], scale.others))
    lab.create(_DATABASE)
    with lab.connect(_DATABASE) as connection:
        runs.store(connection, [_RUN], scale.others)
    rounds: dict[str, list[list[float]]] = {_SNAPSHOT: [], _ROWS: []}
    with lab.connect(_DATABASE) as connection:
        for _ in range(_WARM_UP):
            _read(connection, _SNAPSHOT)
            _read(connection, _ROWS)
        for number in range(scale.rounds):
            progress.step(f"snapshot: round {number + 1} of {scale.rounds}", _round_seconds(scale))
            for values in rounds.values():
                values.append([])
            for _ in range(scale.reads):
                for statement, values in rounds.items():
                    values[-1].append(_read(connection, statement))
        row = connection.execute(_SIZE, (_RUN.id,)).fetchone()
    assert row is not None
    lab.drop(_DATABASE)
    comparisons = [
        Comparison(
            name=f"get_snapshot, {_RUN.steps:,} steps, {name}",
            base_name=f"SELECT of the step rows, {name}",
            own_name="get_snapshot",
            unit=MS,
            base=[quantile(values, share) for values in rounds[_ROWS]],
            own=[quantile(values, share) for values in rounds[_SNAPSHOT]],
        )
        for name, share in (("median", 0.5), ("p99", 0.99))
    ]
    return Part(PART, comparisons, [Figure("the snapshot as JSON text", BYTES, [float(row[0])])])


def _read(connection: Connection, statement: str) -> float:
    """Return how many milliseconds pass until the answer has arrived; rows are converted only when fetched."""
    began = time.perf_counter()
    connection.execute(statement.encode(), (_RUN.id,))
    return (time.perf_counter() - began) * 1000


def _round_seconds(scale: Scale) -> float:
    return scale.reads * 0.02
