"""Latency of durable appends at a fixed rate, with the projector running and without.

Short windows alternate in one database. What a window without a projector leaves is projected before the next begins.
Appends note that a run has work in either case.
"""

from contextlib import nullcontext

from lab import Lab
from progress import Progress
from projection import load, runs
from projection.load import RATE
from projection.projector import Projector
from projection.results import MS, PER_SECOND, Comparison, Figure, Part, quantile
from projection.scale import Scale

PART = "latency"

_DATABASE = "bench_latency"
_LIMIT = 1.25
_SHARES = {"p50": 0.5, "p99": 0.99, "max": 1.0}
_WITH, _WITHOUT = "with the worker", "without a projector"


def plan(scale: Scale) -> float:
    """Return about how many seconds this takes."""
    return runs.store_seconds([], scale.others) + scale.windows * _round_seconds(scale)


def measure(lab: Lab, scale: Scale, progress: Progress) -> Part:
    """Measure window after window, in an order that turns round every time."""
    progress.step("latency: storing runs", runs.store_seconds([], scale.others))
    lab.create(_DATABASE)
    with lab.connect(_DATABASE) as connection:
        runs.store(connection, [], scale.others)
    found: dict[str, list[load.Latencies]] = {_WITH: [], _WITHOUT: []}
    segment = 0
    for number in range(scale.windows):
        progress.step(f"latency: windows {number + 1} of {scale.windows}", _round_seconds(scale))
        for side in sorted(found, reverse=bool(number % 2)):
            segment += 1
            with Projector(lab, _DATABASE) if side == _WITH else nullcontext():
                window = load.at_fixed_rate(lab, _DATABASE, seconds=1 + scale.window_seconds, segment=segment)
            found[side].append(window)
            with lab.connect(_DATABASE) as connection:
                runs.drain(connection)
    appended = sum(window.transactions for windows in found.values() for window in windows)
    load.check(lab, _DATABASE, scale, appended, segment)
    lab.drop(_DATABASE)
    comparisons = [
        Comparison(
            name=f"append_event {_WITH}, {name}",
            base_name=f"{_WITHOUT}, {name}",
            own_name=_WITH,
            unit=MS,
            base=[quantile(window.ms, share) for window in found[_WITHOUT]],
            own=[quantile(window.ms, share) for window in found[_WITH]],
            at_most=_LIMIT if name == "p99" else None,
            series=name,
        )
        for name, share in _SHARES.items()
    ]
    figures = [
        Figure(f"rate that was reached of {RATE:,}, {side}", PER_SECOND, [one.per_second for one in windows])
        for side, windows in found.items()
    ]
    return Part(PART, comparisons, figures)


def _round_seconds(scale: Scale) -> float:
    return 2 * (scale.window_seconds + 2.5)
