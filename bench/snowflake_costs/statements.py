"""How many statements a call runs on Snowflake.

A warehouse's time is what is billed there, and a statement has a price whatever it does. Counted on the tests' bench,
which runs the shipped procedures statement by statement. The counts follow from the procedures alone, so one call of
each kind tells.
"""

import json
from dataclasses import asdict, dataclass
from typing import Any

from event import PAYLOAD

from bench import Bench

VARIANTS = ("standard", "hybrid")


@dataclass(frozen=True)
class Count:
    """What one call ran."""

    variant: str
    call: str
    events: int
    statements: int
    in_warehouse: int


def count() -> list[dict[str, Any]]:
    """Count every call on both variants."""
    return [asdict(one) for variant in VARIANTS for one in _counts(variant)]


def _counts(variant: str) -> list[Count]:
    with Bench.deployed(variant) as bench:
        calls = _Calls(bench, variant)
        calls.append("one event, new", [_event("single", 1)], single=True)
        calls.append("one event, known", [_event("single", 1)], single=True)
        calls.append("one event, known with another payload", [_event("single", 1, rows=2)], single=True)
        for size in (1, 100, 1000):
            calls.append("batch, one run", [_event(f"one-{size}", n) for n in range(size)])
        for size in (100, 1000):
            calls.append("batch, a run per event", [_event(f"many-{size}-{n}", n) for n in range(size)])
        calls.append("batch, all known", [_event("one-100", n) for n in range(100)])
        calls.call("FETCH_EVENTS, a page", 1000, "CALL FETCH_EVENTS('one-1000')")
        calls.call("PROJECT_PENDING, all the runs above", 2302, "CALL PROJECT_PENDING(10000)")
        calls.call("PROJECT_PENDING, nothing waits", 0, "CALL PROJECT_PENDING(10000)")
        calls.call("GET_SNAPSHOT", 1000, "CALL GET_SNAPSHOT('one-1000')")
        calls.call("REPLAY_SNAPSHOT", 1000, "CALL REPLAY_SNAPSHOT('one-1000')")
        return calls.counts


class _Calls:
    def __init__(self, bench: Bench, variant: str) -> None:
        self._bench, self._variant = bench, variant
        self.counts: list[Count] = []

    def append(self, name: str, events: list[dict[str, Any]], *, single: bool = False) -> None:
        statement = "CALL APPEND_EVENT(PARSE_JSON(?))" if single else "CALL APPEND_EVENTS(PARSE_JSON(?))"
        self.call(name, len(events), statement, json.dumps(events[0] if single else events))

    def call(self, name: str, events: int, statement: str, *parameters: str) -> None:
        self._bench.reset_log()
        self._bench.execute(statement, list(parameters))
        ran = self._bench.statements
        in_warehouse = sum(one.runs_in_warehouse for one in ran)
        self.counts.append(Count(self._variant, name, events, len(ran), in_warehouse))


def _event(run: str, number: int, **more: Any) -> dict[str, Any]:
    return {
        "runId": run,
        "eventType": "StepCompleted",
        "emittedAt": "2026-01-15T10:00:00Z",
        "tenantId": "tenant-1",
        "projectId": "project-1",
        "environmentId": "prod",
        "planId": "plan_abc",
        "planVersion": "2",
        "stepId": f"model.step_{number}",
        "payload": {**json.loads(PAYLOAD), **more},
    }
