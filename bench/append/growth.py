"""Does an append cost more in a long log? 8 clients append to a log of 100,000 events and to one of 5 million in turns.

Fresh runs: every client begins a new run every 20 events. Old runs, as information: any of the stored runs, whose pages
are cold. The small log is put back to its size for every round.
"""

from collections.abc import Mapping

import pgbench
from audit import audit
from lab import Lab
from pgbench import ANY_RUN, FRESH_RUN
from progress import Progress
from results import EVENTS, Comparison, Part
from scale import Scale
from single import DURABLE, NOT_DURABLE
from stock import store

PARTS = ("growth",)

_CLIENTS = 8
_RUN_LENGTH = 20
_STORE_SECONDS_PER_EVENT = 0.000025

# Name, script, settings, target.
_CASES: tuple[tuple[str, str, Mapping[str, str], float | None], ...] = (
    ("fresh runs, not durable", pgbench.append(FRESH_RUN), NOT_DURABLE, 0.90),
    ("fresh runs, durable", pgbench.append(FRESH_RUN), DURABLE, None),
    ("random old runs, not durable", pgbench.append(ANY_RUN), NOT_DURABLE, None),
)


def plan(scale: Scale, parts: list[str]) -> float:
    """Return about how many seconds this takes."""
    if "growth" not in parts:
        return 0
    return scale.large * _STORE_SECONDS_PER_EVENT + 5 + scale.rounds * _round_seconds(scale)


def measure(lab: Lab, scale: Scale, progress: Progress, parts: list[str]) -> list[Part]:
    """Store both logs, then append to them in turns."""
    if "growth" not in parts:
        return []
    small = _store_small(lab, scale, progress)
    large = _store_large(lab, scale, progress)
    with lab.connect() as connection:
        connection.execute("checkpoint")
    rates: dict[tuple[str, str], list[float]] = {}
    segment = 0
    appended = {large: _warm_up(lab, scale, large)}
    for number, copy in enumerate(small):
        progress.step(f"growth: round {number + 1} of {scale.rounds}", _round_seconds(scale))
        appended[copy] = _warm_up(lab, scale, copy)
        for name, script, settings, _ in _CASES:
            sizes = {"small": (copy, scale.small), "large": (large, scale.large)}
            for size in sorted(sizes, reverse=bool(number % 2)):
                segment += 1
                database, rows = sizes[size]
                load = pgbench.run(
                    lab,
                    database,
                    [script],
                    clients=_CLIENTS,
                    seconds=scale.seconds,
                    variables={"runs": rows // _RUN_LENGTH, "segment": segment},
                    settings=settings,
                )
                rates.setdefault((name, size), []).append(load.per_second)
                appended[database] += load.transactions
    progress.step("growth: counting", 5)
    for database, events in appended.items():
        with lab.connect(database) as connection:
            audit(
                connection, events + (scale.large if database == large else scale.small), uncounted=segment * _CLIENTS
            )
        lab.drop(database)
    comparisons = [
        Comparison(
            name=f"{scale.large:,} events, {name}",
            base_name=f"the log of {scale.small:,}",
            own_name=f"the log of {scale.large:,}",
            unit=EVENTS,
            base=rates[name, "small"],
            own=rates[name, "large"],
            target=target,
        )
        for name, _, _, target in _CASES
    ]
    return [Part("growth", comparisons)]


def _store_small(lab: Lab, scale: Scale, progress: Progress) -> list[str]:
    """Return a small log per round; all are there from the start, because dropping one would be a checkpoint."""
    names = [f"bench_small_{number}" for number in range(scale.rounds)]
    lab.create(names[0])
    with lab.connect(names[0]) as connection:
        for _ in store(connection, scale.small // _RUN_LENGTH, _RUN_LENGTH, floor=False):
            pass
    for name in names[1:]:
        lab.create(name, template=names[0])
    return names


def _store_large(lab: Lab, scale: Scale, progress: Progress) -> str:
    name = "bench_large"
    lab.create(name)
    done = 0
    progress.step(f"growth: storing {scale.large:,} events", 0)
    with lab.connect(name) as connection:
        for rows in store(connection, scale.large // _RUN_LENGTH, _RUN_LENGTH, floor=False):
            progress.step(f"growth: {rows:,} events stored", (rows - done) * _STORE_SECONDS_PER_EVENT)
            done = rows
    return name


def _warm_up(lab: Lab, scale: Scale, database: str) -> int:
    """Append to fresh runs for a moment; return how many events."""
    variables = {"runs": 1, "segment": 0}
    script = pgbench.append(FRESH_RUN)
    load = pgbench.run(
        lab,
        database,
        [script],
        clients=_CLIENTS,
        transactions=scale.warm_up // _CLIENTS,
        variables=variables,
        settings=NOT_DURABLE,
    )
    return load.transactions


def _round_seconds(scale: Scale) -> float:
    return 1 + len(_CASES) * 2 * scale.seconds + scale.warm_up / 8000
