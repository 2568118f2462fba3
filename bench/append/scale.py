"""How much is measured: the full run, and a quick one that only shows that every part works."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Scale:
    """Sizes and durations of one run of the benchmark."""

    rounds: int
    seconds: int
    """Of one pgbench measurement."""
    warm_up: int
    """Transactions of all clients together before the first measurement in a fresh database."""
    runs: int
    """Runs that the single appends spread over."""
    stored: int
    """Events that each of them has before."""
    calls: int
    """Single calls per measurement of server CPU."""
    batches: dict[int, int]
    """Batches per measurement of server CPU, by their size."""
    sized_events: int
    """Events whose bytes on disk are counted."""
    small: int
    """Rows of the small log of the growth test."""
    large: int
    """Rows of its large log."""
    read_runs: int
    """Runs of 1000 events to fetch from."""


FULL = Scale(
    rounds=5,
    seconds=1,
    warm_up=4000,
    runs=20_000,
    stored=5,
    calls=3000,
    batches={10: 1000, 100: 200, 1000: 30},
    sized_events=200_000,
    small=100_000,
    large=5_000_000,
    read_runs=200,
)

QUICK = Scale(
    rounds=2,
    seconds=1,
    warm_up=200,
    runs=1000,
    stored=5,
    calls=300,
    batches={10: 50, 100: 10, 1000: 3},
    sized_events=10_000,
    small=5_000,
    large=50_000,
    read_runs=20,
)
