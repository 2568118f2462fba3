"""How many durable appends 8 clients get through: without a projector, with the worker running, and projecting inline.

Every measurement has a fresh copy of the same store, warmed up for a second.
"""

import time
from contextlib import nullcontext

from lab import Connection, Lab
from progress import Progress
from projection import load, runs
from projection.projector import Projector
from projection.results import PER_SECOND, Comparison, Figure, Part
from projection.scale import Scale

PART = "saturated"

_STOCK = "bench_saturated_stock"
_DATABASE = "bench_saturated"

_NONE, _WORKER, _INLINE = "without a projector", "with the worker", "inline"
_MODES = (_NONE, _WORKER, _INLINE)


def plan(scale: Scale) -> float:
    """Return about how many seconds this takes."""
    return runs.store_seconds([], scale.others) + scale.saturated_rounds * _round_seconds(scale)


def measure(lab: Lab, scale: Scale, progress: Progress) -> Part:
    """Measure the three in turns."""
    progress.step("saturated: storing runs", runs.store_seconds([], scale.others))
    lab.create(_STOCK)
    with lab.connect(_STOCK) as connection:
        runs.store(connection, [], scale.others)
    rates: dict[str, list[float]] = {mode: [] for mode in _MODES}
    folded: list[float] = []
    for number in range(scale.saturated_rounds):
        progress.step(f"saturated: round {number + 1} of {scale.saturated_rounds}", _round_seconds(scale))
        for turn in range(len(_MODES)):
            mode = _MODES[(turn + number) % len(_MODES)]
            appended, projected = _run(lab, scale, mode)
            rates[mode].append(appended)
            if mode == _WORKER:
                folded.append(projected)
    lab.drop(_DATABASE)
    lab.drop(_STOCK)
    comparisons = [
        Comparison(
            name=f"8 clients, durable, {mode}",
            base_name=_NONE,
            own_name=mode,
            unit=PER_SECOND,
            base=rates[_NONE],
            own=rates[mode],
        )
        for mode in (_WORKER, _INLINE)
    ]
    return Part(PART, comparisons, [Figure("what the worker folds meanwhile", PER_SECOND, folded)])


def _run(lab: Lab, scale: Scale, mode: str) -> tuple[float, float]:
    """Return how many events per second were appended, and how many came into snapshots."""
    lab.create(_DATABASE, template=_STOCK)
    with lab.connect(_DATABASE) as connection:
        if mode == _INLINE:
            connection.execute("select runstore.set_config_value('projection_mode', 'inline')")
        with Projector(lab, _DATABASE) if mode == _WORKER else nullcontext():
            warm_up = load.saturate(lab, _DATABASE, seconds=1, segment=1)
            began, before = time.monotonic(), _folded(connection)
            measured = load.saturate(lab, _DATABASE, seconds=scale.saturated_seconds, segment=2)
            projected = (_folded(connection) - before) / (time.monotonic() - began)
    load.check(lab, _DATABASE, scale, warm_up.transactions + measured.transactions, 2)
    return measured.per_second, projected


def _folded(connection: Connection) -> int:
    row = connection.execute("select sum(last_event_seq) from runstore.run_states").fetchone()
    assert row is not None
    return int(row[0])


def _round_seconds(scale: Scale) -> float:
    return len(_MODES) * (scale.saturated_seconds + 5)
