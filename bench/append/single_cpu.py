"""Server CPU of one call, through psycopg with every value a parameter; nothing waits for a flush."""

import json
import random
from collections.abc import Callable

from audit import audit
from backend import cpu_us
from event import Event, run_id, stored_key
from lab import Connection, Lab
from progress import Progress
from results import CPU, Comparison, Part
from scale import Scale
from statements import APPEND_EVENT, APPEND_EVENT_JSON, INSERT
from stock import store_all

PARTS = ("cpu",)

_DATABASE = "bench_cpu"
_WARM_UP = 50

Call = Callable[[Connection, Event, int], None]


def _insert(connection: Connection, event: Event, number: int) -> None:
    connection.execute(INSERT, event.as_row(10**12 + number))


def _append(connection: Connection, event: Event, number: int) -> None:
    connection.execute(APPEND_EVENT, event.as_arguments()).fetchall()


def _append_json(connection: Connection, event: Event, number: int) -> None:
    connection.execute(APPEND_EVENT_JSON, (json.dumps(event.as_json()),)).fetchall()


_CALLS: dict[str, Call] = {
    "INSERT": _insert,
    "append_event": _append,
    "append_event, a retry": _append,
    "append_event(jsonb)": _append_json,
}


def plan(scale: Scale, parts: list[str]) -> float:
    """Return about how many seconds this takes."""
    return 10 + scale.rounds * len(_CALLS) * scale.calls * 0.0004 if "cpu" in parts else 0


def measure(lab: Lab, scale: Scale, progress: Progress, parts: list[str]) -> list[Part]:
    """Measure the calls in turns, each on a connection of its own."""
    if "cpu" not in parts:
        return []
    progress.step("cpu: storing events", 10)
    lab.create(_DATABASE)
    with lab.connect(_DATABASE) as connection:
        store_all(connection, scale.runs, scale.stored, floor=True)
    connections = {name: lab.connect(_DATABASE, synchronous_commit="off") for name in _CALLS}
    costs: dict[str, list[float]] = {name: [] for name in _CALLS}
    done = 0
    for name in _CALLS:
        done = _run(scale, connections, name, _WARM_UP, done)
    for number in range(scale.rounds):
        progress.step(f"cpu: single calls, round {number + 1} of {scale.rounds}", len(_CALLS) * scale.calls * 0.0004)
        for name in sorted(_CALLS, reverse=bool(number % 2)):
            before = cpu_us(connections[name])
            done = _run(scale, connections, name, scale.calls, done)
            costs[name].append((cpu_us(connections[name]) - before) / scale.calls)
    for connection in connections.values():
        connection.close()
    with lab.connect(_DATABASE) as connection:
        appending = 2 * (scale.rounds * scale.calls + _WARM_UP)
        audit(connection, scale.runs * scale.stored + appending)
    lab.drop(_DATABASE)
    comparisons = [
        Comparison(name, "INSERT", name, CPU, costs["INSERT"], costs[name]) for name in _CALLS if name != "INSERT"
    ]
    return [Part("cpu", comparisons)]


def _run(scale: Scale, connections: dict[str, Connection], name: str, calls: int, done: int) -> int:
    for number in range(done, done + calls):
        run = random.randrange(scale.runs)  # noqa: S311  # no secret
        event = Event.fresh(run_id(run))
        if name.endswith("retry"):
            event = Event(run_id(run), stored_key(run, 1 + number % scale.stored), event.id)
        _CALLS[name](connections[name], event, number)
    return done + calls
