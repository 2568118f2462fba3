"""Batches: server CPU per event of append_events(), against COPY and against INSERT ... select from unnest.

Each batch is the whole of a fresh run; batches of 1000 events over 50 runs are measured as well. The batch is one JSON
text parameter, the arrays and the COPY text are what psycopg and a text COPY send. Nothing waits for a flush.
"""

import json
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from audit import audit
from backend import cpu_us
from event import Event
from lab import Connection, Lab
from progress import Progress
from results import CPU, Comparison, Part
from scale import Scale
from statements import APPEND_EVENTS, COPY, INSERT_UNNEST

PARTS = ("batch",)

_DATABASE = "bench_batch"
_WARM_UP = 5
_SECONDS_PER_EVENT = 0.00005

# Which of them has a target, by the size of the batch and the method it is compared with.
_TARGETS = {(100, "INSERT ... unnest"): 0.90, (1000, "COPY"): 0.65}


@dataclass(frozen=True)
class Shape:
    """How many events a batch has, and how many runs they belong to."""

    events: int
    runs: int = 1

    @property
    def name(self) -> str:
        """What the report calls it."""
        return f"{self.events} events of {self.runs} runs" if self.runs > 1 else f"{self.events} events of one run"


def _append(connection: Connection, events: list[Event], rows: list[tuple[Any, ...]]) -> None:
    text = json.dumps([event.as_json() for event in events])
    connection.execute(APPEND_EVENTS, (text,)).fetchall()


def _unnest(connection: Connection, events: list[Event], rows: list[tuple[Any, ...]]) -> None:
    connection.execute(INSERT_UNNEST, [list(column) for column in zip(*rows, strict=True)])


def _copy(connection: Connection, events: list[Event], rows: list[tuple[Any, ...]]) -> None:
    text = "".join("\t".join(map(_copy_text, row)) + "\n" for row in rows)
    with connection.cursor() as cursor, cursor.copy(COPY) as copy:
        copy.write(text)


def _copy_text(value: Any) -> str:
    return "\\\\x" + value.hex() if isinstance(value, bytes) else str(value)


Method = Callable[[Connection, list[Event], list[tuple[Any, ...]]], None]
_METHODS: dict[str, Method] = {"COPY": _copy, "append_events": _append, "INSERT ... unnest": _unnest}


def plan(scale: Scale, parts: list[str]) -> float:
    """Return about how many seconds this takes."""
    return scale.rounds * _round_seconds(scale) if "batch" in parts else 0


def measure(lab: Lab, scale: Scale, progress: Progress, parts: list[str]) -> list[Part]:
    """Measure every shape with every method in turns, in a fresh database per round."""
    if "batch" not in parts:
        return []
    costs: dict[tuple[Shape, str], list[float]] = {}
    for number in range(scale.rounds):
        progress.step(f"batch: round {number + 1} of {scale.rounds}", _round_seconds(scale))
        lab.create(_DATABASE)
        connections = {name: lab.connect(_DATABASE, synchronous_commit="off") for name in _METHODS}
        sent = 0
        for shape, batches in _shapes(scale).items():
            for name in sorted(_METHODS, reverse=bool(number % 2)):
                _run(connections[name], _METHODS[name], shape, _WARM_UP)
                before = cpu_us(connections[name])
                _run(connections[name], _METHODS[name], shape, batches)
                cost = (cpu_us(connections[name]) - before) / (batches * shape.events)
                costs.setdefault((shape, name), []).append(cost)
            sent += (batches + _WARM_UP) * shape.events
        for connection in connections.values():
            connection.close()
        with lab.connect(_DATABASE) as connection:
            audit(connection, sent)
    lab.drop(_DATABASE)
    comparisons = [
        Comparison(
            name=shape.name,
            base_name=base,
            own_name="append_events",
            unit=CPU,
            base=costs[shape, base],
            own=costs[shape, "append_events"],
            target=_TARGETS.get((shape.events, base)) if shape.runs == 1 else None,
        )
        for shape in _shapes(scale)
        for base in ("INSERT ... unnest", "COPY")
    ]
    return [Part("batch", comparisons)]


def _shapes(scale: Scale) -> dict[Shape, int]:
    """Return the shapes and how many batches of each a round has."""
    alone = {Shape(events): batches for events, batches in scale.batches.items()}
    return alone | {Shape(1000, runs=50): scale.batches[1000]}


def _run(connection: Connection, method: Method, shape: Shape, batches: int) -> None:
    for _ in range(batches):
        runs = [str(uuid.uuid4()) for _ in range(shape.runs)]
        events = [Event.fresh(runs[number % shape.runs]) for number in range(shape.events)]
        rows = [event.as_row(1 + number // shape.runs) for number, event in enumerate(events)]
        method(connection, events, rows)


def _round_seconds(scale: Scale) -> float:
    events = sum(shape.events * (batches + _WARM_UP) for shape, batches in _shapes(scale).items())
    return 1 + len(_METHODS) * events * _SECONDS_PER_EVENT
