"""The event that every part stores, and the ids of the runs it goes to.

Identifiers, payload and lengths are the same for append_event(), for batches and for the plain statements they are
compared with. Stored runs are numbered, and their ids and keys follow from the number by arithmetic that pgbench,
SQL and Python share; the ids have the shape of UUIDs, and neighbouring numbers lie far apart in an index.
"""

import json
import os
import uuid
from dataclasses import dataclass
from typing import Any

PAYLOAD = (
    '{"exitCode": 0, "durationMs": 1234, "rows": 1000, "artifactRefs": '
    '[{"uri": "s3://bucket/run/step/manifest.json", "kind": "dbt-manifest", "sizeBytes": 12345}]}'
)
EMITTED_AT = "2026-01-15T10:00:00.123456Z"

FIELDS = {
    "event_type": "StepCompleted",
    "tenant": "tenant-1",
    "project": "project-1",
    "environment": "prod",
    "plan": "plan_abc",
    "plan_version": "2",
    "step": "model.orders",
    "adapter": "v1",
    "payload": PAYLOAD,
}

RUN_ID_SQL = (
    "(10000000 + mod(i * i * 7919 + i * 104729, 89999999))::text || '-4f0c-4a8e-9d5d-' || (100000000000 + i)::text"
)
STORED_KEY_SQL = "(1000000000000000 + i)::text || (1000000000000000 + j)::text || repeat('1', 32)"


def run_id(number: int) -> str:
    """Return the id of a stored run."""
    head = 10_000_000 + (number * number * 7919 + number * 104_729) % 89_999_999
    return f"{head}-4f0c-4a8e-9d5d-{100_000_000_000 + number}"


def stored_key(number: int, seq: int) -> str:
    """Return the key of an event of a stored run, as hex digits."""
    return f"{10**15 + number}{10**15 + seq}{'1' * 32}"


@dataclass(frozen=True)
class Event:
    """One event as the producer makes it."""

    run: str
    key: str
    id: str

    @classmethod
    def fresh(cls, run: str) -> "Event":
        """Return an event with a key and an id that no other has."""
        return cls(run, os.urandom(32).hex(), str(uuid.uuid4()))

    def as_arguments(self) -> tuple[Any, ...]:
        """Return the arguments of append_event(), in their order."""
        return (
            *(self.run, FIELDS["event_type"], EMITTED_AT),
            *(FIELDS["tenant"], FIELDS["project"], FIELDS["environment"], FIELDS["plan"], FIELDS["plan_version"]),
            *(1, 1, self.key, self.id, FIELDS["step"], PAYLOAD, FIELDS["adapter"]),
        )

    def as_row(self, seq: int) -> tuple[Any, ...]:
        """Return the values of a plain INSERT, in the order of COLUMNS."""
        return (
            *(self.run, seq, self.id, FIELDS["event_type"], FIELDS["step"], 1, 1, FIELDS["plan"]),
            *(FIELDS["plan_version"], bytes.fromhex(self.key), PAYLOAD, EMITTED_AT, EMITTED_AT, FIELDS["adapter"]),
        )

    def as_json(self) -> dict[str, Any]:
        """Return the event in the JSON form of the contract."""
        return {
            "runId": self.run,
            "eventType": FIELDS["event_type"],
            "emittedAt": EMITTED_AT,
            "tenantId": FIELDS["tenant"],
            "projectId": FIELDS["project"],
            "environmentId": FIELDS["environment"],
            "planId": FIELDS["plan"],
            "planVersion": FIELDS["plan_version"],
            "engineAttemptId": 1,
            "logicalAttemptId": 1,
            "idempotencyKey": self.key,
            "eventId": self.id,
            "stepId": FIELDS["step"],
            "payload": _PAYLOAD_OBJECT,
            "adapterVersion": FIELDS["adapter"],
        }


_PAYLOAD_OBJECT = json.loads(PAYLOAD)

ARGUMENT_TYPES = (
    *("text", "text", "timestamptz"),
    *("text", "text", "text", "text", "text"),
    *("int", "int", "text", "uuid", "text", "jsonb", "text"),
)

COLUMNS = {
    "run_id": "text",
    "run_seq": "bigint",
    "event_id": "uuid",
    "event_type": "text",
    "step_id": "text",
    "engine_attempt_id": "int",
    "logical_attempt_id": "int",
    "plan_id": "text",
    "plan_version": "text",
    "idempotency_key": "bytea",
    "payload": "jsonb",
    "emitted_at": "timestamptz",
    "persisted_at": "timestamptz",
    "adapter_version": "text",
}
