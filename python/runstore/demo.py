"""A small run, pushed through the store call by call, with every answer shown."""

import json
import uuid
from collections.abc import Sequence
from datetime import datetime, timedelta, timezone
from typing import Any

import psycopg
from psycopg import sql
from psycopg.types.json import Jsonb

Connection = psycopg.Connection[tuple[Any, ...]]

_IDENTITY: dict[str, Any] = {
    "p_tenant_id": "acme",
    "p_project_id": "sales",
    "p_environment_id": "dev",
    "p_plan_id": "nightly-load",
    "p_plan_version": "1",
}


class DemoError(RuntimeError):
    """The store did not answer as it promises."""


def play(dsn: str) -> str:
    """Push one new run through the store, print what happens, and return the run's id."""
    run_id = f"demo-{uuid.uuid4().hex[:8]}"
    with psycopg.connect(dsn, autocommit=True) as connection:
        _Play(connection, run_id).perform()
    return run_id


class _Play:
    def __init__(self, connection: Connection, run_id: str) -> None:
        self._connection = connection
        self._run_id = run_id
        self._clock = datetime.now(timezone.utc)

    def perform(self) -> None:
        self._say(f"Run {self._run_id} starts, and its first step runs.")
        self._append("RunStarted")
        self._append("StepStarted", step_id="extract")
        completed = self._append("StepCompleted", step_id="extract", payload={"rows": 1000})

        self._say("The engine did not hear the answer and sends the last event again: same sequence, nothing written.")
        repeated = self._append("StepCompleted", step_id="extract", payload={"rows": 1000}, retry=True)
        self._check(
            repeated["idempotent"] and repeated["run_seq"] == completed["run_seq"], "the retry was stored again"
        )

        self._say("Several events in one call, all or nothing.")
        self._append_batch("StepStarted", "StepCompleted", step_id="load")
        self._append("RunCompleted")

        self._say("The log, in order and without a gap.")
        rows = self._query(
            sql.SQL(
                "select run_seq, event_type, coalesce(step_id, '-'), persisted_at::text, coalesce(payload::text, '-') "
                "from runstore.fetch_events(%s)"
            ),
            [self._run_id],
        )
        self._check([row[0] for row in rows] == list(range(1, len(rows) + 1)), "the log has a gap")
        _print_table(("run_seq", "event_type", "step_id", "persisted_at", "payload"), rows)

        self._say("The snapshot: what the log adds up to.")
        print(f"  runstore.project_snapshot('{self._run_id}')")
        ((snapshot,),) = self._query(sql.SQL("select runstore.project_snapshot(%s)"), [self._run_id])
        self._check(snapshot["lastEventSeq"] == len(rows), "the snapshot is not at the end of the log")
        print(f"    status {snapshot['status']}, {snapshot['totalDurationMs']} ms, {snapshot['consistency']}")
        steps = [(step["stepId"], step["status"], step["logicalAttemptId"]) for step in snapshot["steps"]]
        _print_table(("step", "status", "attempt"), steps)

        self._say("What is wrong is refused, and the answer says why: a step event without a step id.")
        self._refused("RS001", *self._append_call("StepStarted"))
        self._say("The log is append-only, for everybody, this superuser included.")
        self._refused(
            "RS009",
            sql.SQL("update runstore.run_events set event_type = 'RunFailed' where run_id = %s"),
            [self._run_id],
        )

    def _append(
        self, event_type: str, *, step_id: str | None = None, payload: dict[str, Any] | None = None, retry: bool = False
    ) -> dict[str, Any]:
        statement, values = self._append_call(event_type, step_id, payload, retry)
        shown = [f"p_event_type => '{event_type}'"]
        shown += [f"p_step_id => '{step_id}'"] if step_id else []
        shown += [f"p_payload => '{json.dumps(payload)}'"] if payload else []
        print(f"  runstore.append_event(p_run_id => '{self._run_id}', {', '.join(shown)}, …)")
        return self._answers(statement, values)[0]

    def _append_call(
        self, event_type: str, step_id: str | None = None, payload: dict[str, Any] | None = None, retry: bool = False
    ) -> tuple[sql.Composed, list[Any]]:
        arguments = {
            "p_run_id": self._run_id,
            "p_event_type": event_type,
            "p_emitted_at": self._tick(0 if retry else 1),
            **_IDENTITY,
            "p_step_id": step_id,
            "p_payload": Jsonb(payload) if payload else None,
        }
        named = [sql.SQL("{} => {}").format(sql.Identifier(name), sql.Placeholder()) for name in arguments]
        call = sql.SQL("select * from runstore.append_event({})").format(sql.SQL(", ").join(named))
        return call, list(arguments.values())

    def _append_batch(self, *event_types: str, step_id: str) -> None:
        events = [
            {
                "runId": self._run_id,
                "eventType": event_type,
                "emittedAt": self._tick(1).isoformat().replace("+00:00", "Z"),
                "tenantId": _IDENTITY["p_tenant_id"],
                "projectId": _IDENTITY["p_project_id"],
                "environmentId": _IDENTITY["p_environment_id"],
                "planId": _IDENTITY["p_plan_id"],
                "planVersion": _IDENTITY["p_plan_version"],
                "engineAttemptId": 1,
                "logicalAttemptId": 1,
                "stepId": step_id,
            }
            for event_type in event_types
        ]
        listed = ", ".join(f'{{"eventType": "{event_type}", "stepId": "{step_id}", …}}' for event_type in event_types)
        print(f"  runstore.append_events('[{listed}]')")
        self._answers(sql.SQL("select * from runstore.append_events(%s)"), [Jsonb(events)])

    def _answers(self, statement: sql.SQL | sql.Composed, values: Sequence[Any]) -> list[dict[str, Any]]:
        names = ("event_id", "run_seq", "persisted_at", "idempotent", "persisted")
        answers = [dict(zip(names, row, strict=True)) for row in self._query(statement, values)]
        for answer in answers:
            flags = ", ".join(f"{name} {str(answer[name]).lower()}" for name in ("idempotent", "persisted"))
            print(f"    run_seq {answer['run_seq']}, {flags}, event_id {answer['event_id']}")
        return answers

    def _refused(self, sqlstate: str, statement: sql.SQL | sql.Composed, values: Sequence[Any]) -> None:
        try:
            self._query(statement, values)
        except psycopg.Error as error:
            self._check(error.sqlstate == sqlstate, f"{sqlstate} was expected, not: {error}")
            print(f"  {sqlstate}: {error.diag.message_primary}")
            print(f"    DETAIL: {error.diag.message_detail}")
            print(f"    HINT: {error.diag.message_hint}")
        else:
            raise DemoError(f"the store should have refused this with {sqlstate}")

    def _query(self, statement: sql.SQL | sql.Composed, values: Sequence[Any]) -> list[tuple[Any, ...]]:
        return self._connection.execute(statement, values).fetchall()

    def _tick(self, seconds: int) -> datetime:
        self._clock += timedelta(seconds=seconds)
        return self._clock

    def _say(self, sentence: str) -> None:
        print(f"\n{sentence}")

    def _check(self, holds: bool, otherwise: str) -> None:
        if not holds:
            raise DemoError(otherwise)


def _print_table(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    lines = [list(header), *[[str(cell) for cell in row] for row in rows]]
    widths = [max(len(line[column]) for line in lines) for column in range(len(header))]
    for number, line in enumerate(lines):
        print("  " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())
        if number == 0:
            print("  " + "-+-".join("-" * width for width in widths))
