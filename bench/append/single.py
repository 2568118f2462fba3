"""Single appends under load: on many runs, on one hot run, durable and not, with slow flushes, with retries.

Every case has its own fresh copy of the same stored runs in every round, so that no case inherits the other's tables.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import pgbench
from audit import audit
from lab import Lab
from pgbench import ANY_RUN, HOT_RUN
from progress import Progress
from results import EVENTS, Comparison, Part
from scale import Scale
from stock import store_all

PARTS = ("many", "commit_delay", "hot", "retries")

_STOCK = "bench_stock"
_DATABASE = "bench_single"
_FRESH_COPY_SECONDS = 1.5

DURABLE: dict[str, str] = {}
NOT_DURABLE = {"synchronous_commit": "off"}
SLOW_FLUSH = {"commit_delay": "1000"}


@dataclass(frozen=True)
class Side:
    """One thing that is measured: its scripts, and with how many clients."""

    name: str
    scripts: tuple[str, ...]
    clients: int
    appending: int
    """How many of the scripts, from the first, add an event to the log with every transaction."""


@dataclass(frozen=True)
class Case:
    """A base and what is compared with it, in one database and under the same settings."""

    part: str
    name: str
    settings: Mapping[str, str]
    base: Side
    own: tuple[Side, ...]
    targets: Mapping[int, float]
    """By the number of clients."""

    @property
    def label(self) -> str:
        """The name with the numbers of clients."""
        return f"{', '.join(_clients(side.clients) for side in self.own)}, {self.name}"

    @property
    def sides(self) -> tuple[Side, ...]:
        """Everything to measure in a round."""
        return (self.base, *self.own)


def cases() -> list[Case]:
    """Return all cases."""
    modes = (("durable", DURABLE), ("not durable", NOT_DURABLE))
    return [
        *(
            _many("many", mode, settings, clients, target if clients == 8 else None)
            for (mode, settings), target in zip(modes, (0.75, 0.60), strict=True)
            for clients in (1, 8, 16)
        ),
        *(_many("commit_delay", "durable", SLOW_FLUSH, clients, 0.90 if clients == 8 else None) for clients in (8, 16)),
        *(_hot(mode, settings, {8: 0.80} if mode == "durable" else {}) for mode, settings in modes),
        *(_retries(mode, settings, 1.2 if mode == "durable" else None) for mode, settings in modes),
    ]


def plan(scale: Scale, parts: list[str]) -> float:
    """Return about how many seconds these parts take."""
    chosen = [case for case in cases() if case.part in parts]
    return 10 + scale.rounds * sum(_seconds(case, scale) for case in chosen) if chosen else 0


def measure(lab: Lab, scale: Scale, progress: Progress, parts: list[str]) -> list[Part]:
    """Measure these parts together: every round goes through all their cases."""
    chosen = [case for case in cases() if case.part in parts]
    if not chosen:
        return []
    progress.step(f"single appends: storing {scale.runs * scale.stored:,} events", 10)
    lab.create(_STOCK)
    with lab.connect(_STOCK) as connection:
        store_all(connection, scale.runs, scale.stored, floor=True)
    measured: dict[tuple[int, int], list[float]] = {}
    for number in range(scale.rounds):
        for turn in range(len(chosen)):
            index = (turn + number) % len(chosen)
            case = chosen[index]
            progress.step(f"{case.part}: {case.label}, round {number + 1} of {scale.rounds}", _seconds(case, scale))
            for side, value in _round(lab, scale, case, number).items():
                measured.setdefault((index, side), []).append(value)
    lab.drop(_DATABASE)
    lab.drop(_STOCK)
    found = {part: Part(part) for part in PARTS if part in parts}
    for index, case in enumerate(chosen):
        found[case.part].comparisons.extend(
            Comparison(
                name=f"{_clients(side.clients)}, {case.name}",
                base_name=f"{case.base.name}, {_clients(case.base.clients)}",
                own_name=f"{side.name}, {_clients(side.clients)}",
                unit=EVENTS,
                base=measured[index, 0],
                own=measured[index, position],
                target=case.targets.get(side.clients),
            )
            for position, side in enumerate(case.own, start=1)
        )
    return list(found.values())


def _round(lab: Lab, scale: Scale, case: Case, number: int) -> dict[int, float]:
    """Measure every side once in a fresh database, in an order that alternates; return events per second."""
    lab.create(_DATABASE, template=_STOCK)
    appended = 0
    order = list(range(len(case.sides)))
    if number % 2:
        order.reverse()
    rates: dict[int, float] = {}
    segment = 0
    for warming_up in (True, False):
        for position in order:
            side = case.sides[position]
            segment += 1
            load = pgbench.run(
                lab,
                _DATABASE,
                list(side.scripts),
                clients=side.clients,
                seconds=None if warming_up else scale.seconds,
                transactions=max(1, scale.warm_up // side.clients) if warming_up else None,
                variables={"runs": scale.runs, "stored": scale.stored, "segment": segment},
                settings=case.settings,
            )
            rates[position] = load.per_second
            appended += sum(load.by_script[: side.appending])
    with lab.connect(_DATABASE) as connection:
        audit(connection, scale.runs * scale.stored + appended, uncounted=sum(side.clients for side in case.sides))
    return rates


def _many(part: str, mode: str, settings: Mapping[str, str], clients: int, target: float | None) -> Case:
    delay = settings.get("commit_delay")
    return Case(
        part=part,
        name=f"{mode}, commit_delay = {delay}" if delay else mode,
        settings=settings,
        base=Side("INSERT", (pgbench.insert(ANY_RUN),), clients, 0),
        own=(Side("append_event", (pgbench.append(ANY_RUN),), clients, 1),),
        targets={clients: target} if target else {},
    )


def _hot(mode: str, settings: Mapping[str, str], targets: Mapping[int, float]) -> Case:
    return Case(
        part="hot",
        name=mode,
        settings=settings,
        base=Side("INSERT", (pgbench.insert(HOT_RUN),), 1, 0),
        own=tuple(Side("append_event", (pgbench.append(HOT_RUN),), clients, 1) for clients in (1, 8, 16)),
        targets=targets,
    )


def _retries(mode: str, settings: Mapping[str, str], target: float | None) -> Case:
    return Case(
        part="retries",
        name=mode,
        settings=settings,
        base=Side("INSERT", (pgbench.insert(ANY_RUN),), 8, 0),
        own=(Side("append_event", (pgbench.append(ANY_RUN), pgbench.retry()), 8, 1),),
        targets={8: target} if target else {},
    )


def _seconds(case: Case, scale: Scale) -> float:
    return _FRESH_COPY_SECONDS + len(case.sides) * (scale.seconds + scale.warm_up / 4000)


def _clients(number: int) -> str:
    return "1 client" if number == 1 else f"{number} clients"
