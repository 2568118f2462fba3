"""Who sends what, and what is stored before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Event(NamedTuple):
    """An event as it is sent: run, key, its sender's id, and a type, which stands for all that it says."""

    place: int
    run: str
    key: str
    event_id: str
    event_type: str


Call = tuple[Event, ...]


@dataclass(frozen=True)
class Client:
    """A client's calls, one after the other. One without events archives what it finds, once."""

    name: str
    calls: tuple[Call, ...]


@dataclass(frozen=True)
class Scenario:
    """Clients that begin together, and the log before: for each run the keys that it has, from "before"."""

    name: str
    clients: tuple[Client, ...]
    log: tuple[tuple[str, tuple[str, ...]], ...] = ()
    lock_rows: int | None = None

    def of(self, clients: int) -> Scenario:
        """Return the scenario with the first clients only."""
        return Scenario(self.name, self.clients[:clients], self.log, self.lock_rows)


def _client(name: str, *calls: str) -> Client:
    """Read calls such as "r1.k1 r2.k2": runs and keys; "r1.k1!" says something else with the same key."""
    return Client(name, tuple(_call(name, text) for text in calls))


def _call(name: str, text: str) -> Call:
    events = []
    for index, part in enumerate(text.split()):
        run, _, key = part.partition(".")
        event_type = f"{key.rstrip('!')}-{name}" if key.endswith("!") else key
        key = key.rstrip("!")
        events.append(Event(index, run, key, f"{name}-{run}-{key}", event_type))
    return tuple(events)


ARCHIVES: tuple[Call, ...] = ((),)
ARCHIVER = Client("archiver", ARCHIVES)

SCENARIOS = (
    Scenario(
        "the same event, of a new run",
        (_client("A", "r1.k1"), _client("B", "r1.k1"), _client("C", "r1.k1")),
    ),
    Scenario(
        "the same event, of a run",
        (_client("A", "r1.k1"), _client("B", "r1.k1"), _client("C", "r1.k1")),
        (("r1", ("k0",)),),
    ),
    Scenario(
        "different events, of a new run",
        (_client("A", "r1.k1"), _client("B", "r1.k2"), _client("C", "r1.k3")),
    ),
    Scenario(
        "different events, of a run",
        (_client("A", "r1.k1"), _client("B", "r1.k2"), _client("C", "r1.k3")),
        (("r1", ("k0",)),),
    ),
    Scenario(
        "two runs in opposite order",
        (_client("A", "r1.k1 r2.k1"), _client("B", "r2.k2 r1.k2"), _client("C", "r1.k3 r2.k3")),
        (("r1", ("k0",)),),
    ),
    Scenario(
        "one known and one new",
        (_client("A", "r1.k1 r1.k2"), _client("B", "r1.k2 r1.k3"), _client("C", "r1.k3 r1.k1")),
        (("r1", ("k1",)),),
    ),
    Scenario(
        "other events with one key",
        (_client("A", "r1.k1!"), _client("B", "r1.k1! r1.k2", "r1.k1!"), _client("C", "r1.k1! r1.k1")),
    ),
    Scenario(
        "two calls of a session",
        (_client("A", "r1.k1", "r1.k2"), _client("B", "r1.k2"), _client("C", "r1.k1")),
    ),
    Scenario(
        "different runs",
        (_client("A", "r1.k1"), _client("B", "r2.k1"), _client("C", "r3.k1")),
        (("r1", ("k0",)),),
    ),
)

BESIDE_THE_ARCHIVER = (
    Scenario(
        "a new event, while its run is archived",
        (ARCHIVER, _client("A", "r1.k1"), _client("B", "r1.k2")),
        (("r1", ("k0",)),),
    ),
    Scenario(
        "a known event, while its run is archived",
        (ARCHIVER, _client("A", "r1.k0"), _client("B", "r1.k0 r2.k1")),
        (("r1", ("k0",)),),
    ),
)
