"""What the stores of both kinds share: the calls, how answers are read, what is tried again. Nothing here does I/O.

Every statement calls a procedure. What a call sends is fixed when it is made, so that a second try sends the same.
"""

import math
import os
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from datetime import datetime, timezone
from time import monotonic
from typing import Any, Generic, TypeVar

import psycopg
from psycopg.conninfo import conninfo_to_dict

from runstore._version import __version__
from runstore.errors import AppendsRefused, GapDetected, IncompatibleSchema, NotInstalled, RunStoreError, from_database
from runstore.events import AppendResult, RunEventRecord, RunEventWrite, RunSummary, to_text

T = TypeVar("T")
Row = tuple[Any, ...]
Event = RunEventWrite | Mapping[str, Any]
AnyCursor = psycopg.Cursor[Row] | psycopg.AsyncCursor[Row]

PIPELINE_SIZE = 200
# What belongs to one event of many: the store's refusals, and text that PostgreSQL cannot read.
REFUSALS = (RunStoreError, psycopg.DataError)
NOT_INSTALLED = (psycopg.errors.InvalidSchemaName, psycopg.errors.UndefinedFunction)

# Lost races, and a server that goes, is coming up, or has closed a session that was idle. The transaction was undone,
# or, where its end is not known, the key tells the store that it has the event already.
_TRANSIENT = {"40001", "40P01", "57P01", "57P02", "57P03", "57P05"}
_LONGEST_PAUSE = 1.0


@dataclass(frozen=True, slots=True)
class Call(Generic[T]):
    """One statement, and how its rows are read."""

    statement: bytes
    parameters: Sequence[Any]
    read: Callable[[list[Row]], T]
    run_id: str = ""


def append_event(event: Event | None, given: Mapping[str, Any]) -> Call[AppendResult]:
    """Append one event: typed arguments for a RunEventWrite, JSON for a mapping."""
    if event is None:
        event = RunEventWrite(**given)
    elif given:
        raise TypeError("give an event or keyword arguments, not both")
    if isinstance(event, RunEventWrite):
        return Call(_APPEND_EVENT, event.arguments(), _one(AppendResult), event.run_id)
    return Call(_APPEND_JSON, [to_text(event)], _one(AppendResult), str(event.get("runId")))


def append_events(events: Sequence[Event]) -> Call[list[AppendResult]]:
    """Append a batch."""
    sent = [event.to_json() if isinstance(event, RunEventWrite) else event for event in events]
    return Call(_APPEND_EVENTS, [to_text(sent)], _all(AppendResult))


def fetch_events(run_id: str, after_seq: int, limit: int) -> Call[list[RunEventRecord]]:
    """Read a page of a run's log."""
    return Call(_FETCH_EVENTS, [run_id, after_seq, limit], _all(RunEventRecord))


def list_runs(tenant_id: str | None, status: str | None, limit: int, cursor: str | None) -> Call[list[RunSummary]]:
    """Read a page of runs."""
    return Call(_LIST_RUNS, [tenant_id, status, limit, cursor], _all(RunSummary))


def get_snapshot(run_id: str) -> Call[dict[str, Any] | None]:
    """Read the stored snapshot."""
    return Call(b"select runstore.get_snapshot(%s::text)", [run_id], _value)


def project_snapshot(run_id: str) -> Call[dict[str, Any]]:
    """Bring the snapshot up to the log's end."""
    return Call(b"select runstore.project_snapshot(%s::text)", [run_id], _value)


def replay_snapshot(run_id: str, up_to_seq: int | None) -> Call[dict[str, Any]]:
    """Fold the log."""
    return Call(b"select runstore.replay_snapshot(%s::text, %s::bigint)", [run_id, up_to_seq], _value)


def idempotency_key(
    run_id: str, step_id: str | None, logical_attempt_id: int, event_type: str, plan_id: str, plan_version: str
) -> Call[str]:
    """Compute the key of an event."""
    statement = b"select runstore.idempotency_key(%s::text, %s::text, %s::int, %s::text, %s::text, %s::text)"
    return Call(statement, [run_id, step_id, logical_attempt_id, event_type, plan_id, plan_version], _value)


def version() -> Call[str]:
    """Ask for the version of the schema."""
    return Call(b"select runstore.version()", [], _value)


def check_version(schema: str, upgrade: str = "runstore migrate --dsn …") -> None:
    """Raise IncompatibleSchema unless this client understands the schema.

    Before 1.0 every minor version may change the contract; after it a newer schema of the same major version still
    serves older clients.
    """
    theirs, ours = _numbers(schema), _numbers(__version__)
    if theirs[:1] == ours[:1] and (theirs[:2] == ours[:2] or (ours > [1] and theirs > ours)):
        return
    raise IncompatibleSchema(
        f"the database has runstore {schema}, which this client of version {__version__} does not understand",
        hint=f"Install the Python package of version {schema}."
        if theirs > ours
        else f"Bring the database to version {__version__}: {upgrade}",
    )


def not_installed() -> NotInstalled:
    """Return the error for a database without the schema."""
    return NotInstalled(
        "this database has no runstore",
        hint="Install it (runstore migrate --dsn …), or connect to the database that has it.",
    )


def connection_parameters(dsn: str, timeout: float, statement_timeout: float | None) -> dict[str, Any]:
    """Return the DSN as keyword arguments with our defaults, which it overrides."""
    try:
        parameters = conninfo_to_dict(dsn)
    except psycopg.ProgrammingError:
        # libpq's message quotes the string, which may hold a password.
        raise ValueError(
            "the connection string cannot be read: expected postgresql://user@host/dbname or key=value pairs"
        ) from None
    parameters.setdefault("fallback_application_name", "runstore")
    if "PGCONNECT_TIMEOUT" not in os.environ:
        parameters.setdefault("connect_timeout", max(1, math.ceil(timeout)))
    ours = "-c timezone=UTC"
    if statement_timeout is not None:
        ours += f" -c statement_timeout={math.ceil(statement_timeout * 1000)}"
    given = parameters.get("options") or os.environ.get("PGOPTIONS", "")
    return {**parameters, "options": f"{ours} {given}".strip(), "autocommit": True}


def pauses(retries: int) -> Iterator[float | None]:
    """Yield how long to wait after each failed try, ever longer and not in step with others; None after the last."""
    for number in range(retries):
        yield random.uniform(0, min(_LONGEST_PAUSE, 0.05 * 2**number))  # noqa: S311  # no secret
    yield None


def is_transient(error: psycopg.Error, *, lost: bool) -> bool:
    """Whether the same call can succeed when sent again."""
    return lost or error.sqlstate in _TRANSIENT


@contextmanager
def translated() -> Iterator[None]:
    """Raise the store's own errors instead of psycopg's where they are the store's."""
    try:
        yield
    except psycopg.Error as error:
        refusal = from_database(error)
        if refusal is None:
            raise
        raise refusal from error


@contextmanager
def attributed(cursors: Sequence[AnyCursor], order: Sequence[int]) -> Iterator[None]:
    """Say in an error of a pipeline which event it is about: the first that was sent and has no answer."""
    try:
        yield
    except RunStoreError as error:
        error.detail["index"] = next(index for index in order if cursors[index].pgresult is None)
        raise


def lock_order(calls: Sequence[Call[Any]]) -> list[int]:
    """Return the order to send appends in that share a transaction: by run, so that no two of them deadlock."""
    return sorted(range(len(calls)), key=lambda index: calls[index].run_id.encode(errors="surrogatepass"))


def chunks(calls: Sequence[T]) -> Iterator[Sequence[T]]:
    """Cut many calls into pipelines."""
    return (calls[start : start + PIPELINE_SIZE] for start in range(0, len(calls), PIPELINE_SIZE))


def results_of(outcomes: Sequence[AppendResult | Exception]) -> list[AppendResult]:
    """Return the results if all are; otherwise raise what says which are not."""
    results = [each for each in outcomes if isinstance(each, AppendResult)]
    if len(results) == len(outcomes):
        return results
    refused = [(index, each) for index, each in enumerate(outcomes) if isinstance(each, Exception)]
    index, first = refused[0]
    raise AppendsRefused(
        f"{len(refused)} of {len(outcomes)} events were refused, the first at index {index}: {first}",
        detail={"index": index},
        hint="The others are stored. See outcomes; events that were sent again are answered, not stored twice.",
        outcomes=outcomes,
    ) from first


class Follower:
    """Where a reader of a run's log stands, and what it does next."""

    def __init__(self, run_id: str, after_seq: int, poll: float, timeout: float | None) -> None:
        self._run_id, self._seq, self._poll, self._timeout = run_id, after_seq, poll, timeout
        self._quiet_since: float | None = None

    @property
    def seq(self) -> int:
        """The last event that was accepted."""
        return self._seq

    def next_page(self, limit: int) -> Call[list[RunEventRecord]]:
        """Return the call for what comes next."""
        return fetch_events(self._run_id, self._seq, limit)

    def accept(self, event: RunEventRecord) -> RunEventRecord:
        """Move past the event, which must be the next one."""
        if event.run_seq != self._seq + 1:
            raise GapDetected(
                f"run {self._run_id} has a gap: event {event.run_seq} came after {self._seq}",
                detail={"runId": self._run_id, "expected": self._seq + 1, "found": event.run_seq},
                hint="The log is damaged: restore the missing rows. Nothing behind the gap was yielded.",
            )
        self._seq = event.run_seq
        return event

    def pause(self, got: int) -> float | None:
        """Return how long to wait before the next page, 0 after one that had events; None when the time is over."""
        now = monotonic()
        if got:
            self._quiet_since = None
            return 0
        if self._quiet_since is None:
            self._quiet_since = now
        if self._timeout is None:
            return self._poll
        left = self._quiet_since + self._timeout - now
        return min(self._poll, left) if left > 0 else None


def _select(kind: type[Any], call: str) -> bytes:
    # Columns by name: a column that a newer schema adds changes nothing here.
    return f"select {', '.join(each.name for each in fields(kind))} from runstore.{call}".encode()  # noqa: S608


def _named_arguments() -> str:
    """Return the arguments of append_event(), each with its type: drivers do not all see 1 as an int."""
    types = {"emitted_at": "timestamptz", "payload": "jsonb", "engine_run_ref": "jsonb"}
    types |= dict.fromkeys(("event_id", "caused_by_signal_id", "parent_event_id"), "uuid")
    types |= dict.fromkeys(("engine_attempt_id", "logical_attempt_id"), "int")
    return ", ".join(f"p_{each.name} => %s::{types.get(each.name, 'text')}" for each in fields(RunEventWrite))


_APPEND_EVENT = _select(AppendResult, f"append_event({_named_arguments()})")
_APPEND_JSON = _select(AppendResult, "append_event(%s::jsonb)")
_APPEND_EVENTS = _select(AppendResult, "append_events(%s::jsonb)")
_FETCH_EVENTS = _select(RunEventRecord, "fetch_events(%s::text, %s::bigint, %s::int)")
_LIST_RUNS = _select(RunSummary, "list_runs(%s::text, %s::text, %s::int, %s::text)")


def _all(kind: Callable[..., T]) -> Callable[[list[Row]], list[T]]:
    return lambda rows: [kind(*map(_utc, row)) for row in rows]


def _one(kind: Callable[..., T]) -> Callable[[list[Row]], T]:
    return lambda rows: kind(*map(_utc, rows[0]))


def _value(rows: list[Row]) -> Any:
    return rows[0][0]


def _utc(value: Any) -> Any:
    return value.astimezone(timezone.utc) if isinstance(value, datetime) else value


def _numbers(version: str) -> list[int]:
    try:
        return [int(part) for part in version.split(".")]
    except ValueError:
        return []
