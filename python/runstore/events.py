"""What goes into the store and what comes out: plain values, with the names of the SQL arguments and columns."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import datetime, timezone
from typing import Any, TypedDict
from uuid import UUID


class _RequiredFields(TypedDict):
    run_id: str
    event_type: str
    emitted_at: datetime
    tenant_id: str
    project_id: str
    environment_id: str
    plan_id: str
    plan_version: str


class EventFields(_RequiredFields, total=False):
    """The keyword arguments of append_event(), for type checkers: the fields of RunEventWrite."""

    engine_attempt_id: int | None
    logical_attempt_id: int | None
    idempotency_key: str | None
    event_id: UUID | None
    step_id: str | None
    payload: Mapping[str, Any] | None
    adapter_version: str | None
    engine_run_ref: Mapping[str, Any] | None
    caused_by_signal_id: UUID | None
    parent_event_id: UUID | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEventWrite:
    """An event to append. None means absent: the database's default applies.

    Its rules are checked by the database. Only the time is looked at here: it must have a zone, because the database
    would read one without in the zone of whatever session it arrives through.
    """

    run_id: str
    event_type: str
    emitted_at: datetime
    tenant_id: str
    project_id: str
    environment_id: str
    plan_id: str
    plan_version: str
    engine_attempt_id: int | None = None
    logical_attempt_id: int | None = None
    idempotency_key: str | None = None
    event_id: UUID | None = None
    step_id: str | None = None
    payload: Mapping[str, Any] | None = None
    adapter_version: str | None = None
    engine_run_ref: Mapping[str, Any] | None = None
    caused_by_signal_id: UUID | None = None
    parent_event_id: UUID | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.emitted_at, datetime):
            raise TypeError(f"emitted_at must be a datetime, not {type(self.emitted_at).__name__}")
        if self.emitted_at.utcoffset() is None:
            raise ValueError("emitted_at has no time zone: use for example datetime.now(timezone.utc)")

    def to_json(self) -> dict[str, Any]:
        """Return the event as the camelCase object that the JSON forms take, with what is set and nothing else."""
        values = ((each.name, getattr(self, each.name)) for each in fields(self))
        return {camel_case(name): _json_value(value) for name, value in values if value is not None}

    def arguments(self) -> list[Any]:
        """Return the event as SQL arguments, in the order of the fields; JSON objects as text."""
        values = (getattr(self, each.name) for each in fields(self))
        return [to_text(value) if isinstance(value, Mapping) else value for value in values]


@dataclass(frozen=True, slots=True)
class AppendResult:
    """Where an event stands in its run.

    persisted: this call stored it. idempotent: its key was known, and the place is that of the stored event; a call
    that was repeated after a lost connection answers so too, when the first try had got through. Times are in UTC.
    """

    event_id: UUID
    run_seq: int
    persisted_at: datetime
    idempotent: bool
    persisted: bool


@dataclass(frozen=True, slots=True)
class RunEventRecord:
    """A stored event. Times are in UTC."""

    run_id: str
    run_seq: int
    event_id: UUID
    event_type: str
    step_id: str | None
    engine_attempt_id: int
    logical_attempt_id: int
    tenant_id: str
    project_id: str
    environment_id: str
    plan_id: str
    plan_version: str
    idempotency_key: str
    payload: dict[str, Any] | None
    emitted_at: datetime
    persisted_at: datetime
    adapter_version: str | None
    engine_run_ref: dict[str, Any] | None
    caused_by_signal_id: UUID | None
    parent_event_id: UUID | None


@dataclass(frozen=True, slots=True)
class RunSummary:
    """One run, as list_runs() shows it; cursor goes on after it. Times are in UTC."""

    run_id: str
    tenant_id: str
    project_id: str
    environment_id: str
    status: str
    last_event_seq: int
    begun_at: datetime
    started_at: datetime | None
    completed_at: datetime | None
    consistency: str
    stale: bool
    projected_at: datetime
    cursor: str


def camel_case(name: str) -> str:
    """Return the JSON name of a field."""
    first, *others = name.split("_")
    return first + "".join(word.title() for word in others)


def to_text(value: Any) -> str:
    """Return JSON text for a parameter, made before anything is sent: a value that is no JSON fails here."""
    return json.dumps(value, default=_plain)


def _json_value(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.astimezone(timezone.utc).isoformat().replace("+00:00", "Z")
    if isinstance(value, Mapping):
        return dict(value)
    return str(value) if isinstance(value, UUID) else value


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"a value of type {type(value).__name__} cannot be written as JSON")
