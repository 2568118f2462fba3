"""How much is measured: the full run, and a quick one that only shows that every part works."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Scale:
    """Sizes and durations of one run of the benchmark."""

    rounds: int
    others: int
    """Short runs that are in the store beside the ones that are measured."""
    calls: dict[int, int]
    """Folds per round, by the number of events in the run; even numbers, as their order turns round every time."""
    appends: int
    """Events per round that are appended and projected one by one, for each length of run."""
    reads: int
    """Snapshots read per round."""
    windows: int
    """Pairs of windows in which the latency of appends is measured, without a projector and with one."""
    window_seconds: int
    """Of one such window, besides a second that is not counted."""
    lag_seconds: int
    """How long the lag of the projector is watched."""
    slice_seconds: int
    """Length of the stretches whose figures are kept one by one."""
    saturated_rounds: int
    saturated_seconds: int
    """Of one measurement of throughput."""


FULL = Scale(
    rounds=5,
    others=5000,
    calls={100: 100, 1000: 20, 10_000: 6, 100_000: 2},
    appends=200,
    reads=200,
    windows=10,
    window_seconds=8,
    lag_seconds=60,
    slice_seconds=10,
    saturated_rounds=5,
    saturated_seconds=5,
)

QUICK = Scale(
    rounds=2,
    others=500,
    calls={100: 10, 1000: 6, 10_000: 2},
    appends=20,
    reads=20,
    windows=2,
    window_seconds=1,
    lag_seconds=10,
    slice_seconds=5,
    saturated_rounds=1,
    saturated_seconds=1,
)
