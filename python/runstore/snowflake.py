"""The store on Snowflake: RunStore's methods with the same arguments, answers and errors.

The connector is imported when it is first needed: pip install 'runstore[snowflake]'.
"""

import json
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar, overload
from uuid import UUID
from weakref import WeakSet

from runstore import _calls
from runstore._calls import Event
from runstore.errors import AppendRaced, NotInstalled, RunStoreError, from_snowflake
from runstore.events import AppendResult, EventFields, RunEventRecord, RunEventWrite, RunSummary

if TYPE_CHECKING:
    from snowflake.connector import SnowflakeConnection
    from typing_extensions import Self, Unpack

T = TypeVar("T")
Row = dict[str, Any]

SCHEMA = "RUNSTORE"
BATCH_SIZE = 200
BATCH_CHARACTERS = 4_000_000

_SESSION_PARAMETERS = {"TIMEZONE": "UTC", "LOCK_TIMEOUT": 30, "QUERY_TAG": "runstore"}
_TIMEOUTS = {"login_timeout": 60, "network_timeout": 120}

# A lock that an append waited for and did not get: too many wait for it already, it took too long, or the wait was part
# of a deadlock; and on hybrid tables two appends that met at a key. The call was undone and can be sent again. The
# numbers of some are not known, so all are told by their words too.
_NUMBERS_OF_A_LOST_RACE = {625, 200001}
_WORDS_OF_A_LOST_RACE = (
    "this lock has not yet been released",
    "deadlock",
    "duplicate key value violates unique constraint",
    "primary key already exists",
)
# What the server says of a session that it does not know any more: it was idle for too long, or its token expired.
_SESSION_IS_GONE = {390111, 390112, 390113, 390114, 390115}
# No such object, schema or function; no database or schema chosen.
_MISSING = {2003, 2043, 2140, 2141, 90105, 90106}


def connect(*, retries: int = 5, max_size: int = 4, **parameters: Any) -> "SnowflakeRunStore":
    """Return a store with connections of its own; any number of threads may use it.

    parameters are those of snowflake.connector.connect(): account, user, warehouse, database and so on, or
    connection_name for one of connections.toml. The schema is RUNSTORE if none is named. Sessions are in UTC, tagged
    runstore, and wait for a lock for 30 seconds (LOCK_TIMEOUT): session_parameters override that, as login_timeout (60
    seconds) and network_timeout (120) do. Only autocommit and paramstyle are the store's own. For hybrid tables set
    HYBRID_TABLE_LOCK_TIMEOUT too, which is an hour otherwise.

    Nothing is opened before the first call. That one says at once what is wrong: the connector's error for an account
    that cannot be reached or a login that it refuses, NotInstalled or IncompatibleSchema for what it holds. Close the
    store, or use it in a with.

    max_size: how many connections there may be; a further thread waits for one. retries: how often a call is sent
    again. Opening a connection is not tried again, so that a wrong password does not lock its user.
    """
    _require_connector()
    given = {name.upper(): value for name, value in (parameters.pop("session_parameters", None) or {}).items()}
    if "connection_name" not in parameters:
        parameters.setdefault("schema", SCHEMA)
    ours = {"session_parameters": {**_SESSION_PARAMETERS, **given}, "autocommit": True, "paramstyle": "qmark"}
    return SnowflakeRunStore(_Owned({**_TIMEOUTS, **parameters, **ours}, retries, max_size))


class SnowflakeRunStore:
    """Calls the store's procedures; every rule is in the database. Made by connect() or on().

    Refusals are the classes of runstore.errors; errors that are Snowflake's own stay the connector's. A call through a
    store's own connections is sent again after a lost race (40001), a lock that was not got or a lost connection,
    always with the same key, so an event is never stored twice; when the first try had got through, the answer is that
    of a duplicate. Nothing that was refused is sent again.
    """

    def __init__(self, source: "_Owned | _Borrowed") -> None:
        self._source = source

    @classmethod
    def on(cls, connection: "SnowflakeConnection") -> "SnowflakeRunStore":
        """Return a store that works on the caller's connection, in its database and schema; it never retries or closes.

        The connection must bind parameters in the server: snowflake.connector.connect(paramstyle="qmark", …). An append
        is a transaction of its own there too: the caller's ROLLBACK does not undo it.
        """
        _require_connector()
        if connection.is_pyformat:
            raise ValueError('the connection binds parameters in the client: connect it with paramstyle="qmark"')
        return cls(_Borrowed(connection))

    def __enter__(self) -> "Self":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the store's own connections; a borrowed one stays as it is."""
        self._source.close()

    @overload
    def append_event(self, event: Event, /) -> AppendResult: ...
    @overload
    def append_event(self, /, **fields: "Unpack[EventFields]") -> AppendResult: ...
    def append_event(self, event: Event | None = None, /, **fields: Any) -> AppendResult:
        """Append one event: a RunEventWrite, its fields as keyword arguments, or a mapping in its camelCase JSON form.

        All appends of a store on standard tables go one after the other: where events can be gathered, append_events()
        and append_many() store hundreds in the time of one.
        """
        return self._call(_append_event(event, fields))

    def append_events(self, events: Iterable[Event]) -> list[AppendResult]:
        """Append a batch in one call and one transaction: all or nothing; answers in input order.

        One refused event refuses all; detail["index"] names it.
        """
        return self._call(_append_batch([_json_of(event) for event in events]))

    def append_many(self, events: Iterable[Event]) -> list[AppendResult]:
        """Append each event for itself, in batches of up to 200: a refused one keeps none of the others out.

        All are tried; if some were refused, AppendsRefused has the outcome of each. Answers are in input order, and
        events of one run are stored in it. A batch in which an event is refused is not stored: what stands before that
        event is sent again, then the event alone, then what is left, so each refusal costs three calls.
        """
        texts = [_json_of(event) for event in events]
        outcomes: list[AppendResult | Exception] = []
        for batch in _batches(texts):
            outcomes += self._outcomes(batch)
        return _calls.results_of(outcomes)

    def fetch_events(self, run_id: str, after_seq: int = 0, limit: int = 1000) -> list[RunEventRecord]:
        """Return up to limit events with run_seq above after_seq, in order; none for an unknown run."""
        return self._call(_Call("CALL FETCH_EVENTS(?, ?, ?)", [run_id, after_seq, limit], _all(RunEventRecord)))

    def follow(
        self,
        run_id: str,
        after_seq: int = 0,
        *,
        poll: float = 5.0,
        timeout: float | None = None,
        stop: threading.Event | None = None,
        limit: int = 1000,
    ) -> Iterator[RunEventRecord]:
        """Yield the run's events above after_seq in order, and wait for more; see RunStore.follow().

        Each look keeps the warehouse running, so it asks less often by default.
        """
        follower = _calls.Follower(run_id, after_seq, poll, timeout)
        stop = stop or threading.Event()
        while not stop.is_set():
            page = self.fetch_events(run_id, follower.seq, limit)
            for event in page:
                if stop.is_set():
                    return
                yield follower.accept(event)
            pause = follower.pause(len(page))
            if pause is None or stop.wait(pause):
                return

    def list_runs(
        self, tenant_id: str | None = None, status: str | None = None, *, limit: int = 100, cursor: str | None = None
    ) -> Iterator[RunSummary]:
        """Yield all runs as far as they have been projected, the newest first, of one tenant or status or of all.

        limit is how many are read at a time. To go on later, give the cursor of the last run that was seen.
        """
        while True:
            call = _Call("CALL LIST_RUNS(?, ?, ?, ?)", [tenant_id, status, limit, cursor], _all(RunSummary))
            page = self._call(call)
            yield from page
            if len(page) < limit:
                return
            cursor = page[-1].cursor

    def get_snapshot(self, run_id: str) -> dict[str, Any] | None:
        """Return the stored snapshot (RunSnapshot JSON), None when there is none yet."""
        call: _Call[dict[str, Any] | None] = _Call("CALL GET_SNAPSHOT(?)", [run_id], _json)
        return self._call(call)

    def project_snapshot(self, run_id: str) -> dict[str, Any]:
        """Bring the snapshot up to the log's end and return it; RunNotFound for an unknown run."""
        return self._call(_Call("CALL PROJECT_SNAPSHOT(?)", [run_id], _json))

    def replay_snapshot(self, run_id: str, up_to_seq: int | None = None) -> dict[str, Any]:
        """Return the fold of the log up to an event, or of all of it; stores nothing."""
        return self._call(_Call("CALL REPLAY_SNAPSHOT(?, ?)", [run_id, up_to_seq], _json))

    def idempotency_key(
        self,
        run_id: str,
        step_id: str | None,
        logical_attempt_id: int,
        event_type: str,
        plan_id: str,
        plan_version: str,
    ) -> str:
        """Return the key that the store computes for such an event."""
        parameters = [run_id, step_id, logical_attempt_id, event_type, plan_id, plan_version]
        call: _Call[str] = _Call("SELECT IDEMPOTENCY_KEY(?, ?, ?, ?, ?, ?)", parameters, _value)
        return self._call(call)

    def version(self) -> str:
        """Return the version of the schema in the database."""
        return self._call(_VERSION)

    def _call(self, call: "_Call[T]") -> T:
        return self._source.run(lambda connection: _execute(connection, call))

    def _outcomes(self, texts: Sequence[str]) -> list[AppendResult | Exception]:
        outcomes: list[AppendResult | Exception] = []
        while texts:
            try:
                return [*outcomes, *self._call(_append_batch(texts))]
            except Exception as error:
                if not _is_refusal(error):
                    raise
                index = _index(error)
            if index is None:
                return [*outcomes, *map(self._outcome, texts)]
            outcomes += self._outcomes(texts[:index])
            outcomes.append(self._outcome(texts[index]))
            texts = texts[index + 1 :]
        return outcomes

    def _outcome(self, text: str) -> AppendResult | Exception:
        try:
            return self._call(_append_json(text))
        except Exception as error:
            if not _is_refusal(error):
                raise
            return error


@dataclass(frozen=True, slots=True)
class _Call(Generic[T]):
    """One statement, and how its rows are read. What it sends is fixed when it is made: a second try sends the same."""

    statement: str
    parameters: Sequence[Any]
    read: Callable[[list[Row]], T]


class _Owned:
    """Connections of our own, each call a transaction: what is transient is tried again.

    A session has one transaction at a time, so a connection serves one call at a time.
    """

    def __init__(self, parameters: dict[str, Any], retries: int, max_size: int) -> None:
        self._parameters = parameters
        self._retries = retries
        self._places = threading.BoundedSemaphore(max_size)
        self._lock = threading.Lock()
        self._idle: list[SnowflakeConnection] = []
        self._is_checked = False
        self._is_closed = False

    def run(self, work: "Callable[[SnowflakeConnection], T]") -> T:
        for pause in _calls.pauses(self._retries):
            with self._places:
                connection = self._take()
                try:
                    answer = self._checked(connection, work)
                except BaseException as error:
                    lost = _is_lost(error, connection)
                    self._put_back(connection, is_sound=not lost and isinstance(error, Exception))
                    if pause is None or not (lost or _is_transient(error)):
                        raise
                else:
                    self._put_back(connection, is_sound=True)
                    return answer
            if lost:
                # The others are likely to be dead as well, and would cost a try each.
                self._close_idle()
            time.sleep(pause)
        raise AssertionError("the last try returns or raises")

    def close(self) -> None:
        self._is_closed = True
        self._close_idle()

    def _checked(self, connection: "SnowflakeConnection", work: "Callable[[SnowflakeConnection], T]") -> T:
        if not self._is_checked:
            _check_version(connection)
            self._is_checked = True
        return work(connection)

    def _take(self) -> "SnowflakeConnection":
        import snowflake.connector

        with self._lock:
            if self._is_closed:
                raise RuntimeError("the store is closed")
            if self._idle:
                return self._idle.pop()
        return snowflake.connector.connect(**self._parameters)

    def _put_back(self, connection: "SnowflakeConnection", *, is_sound: bool) -> None:
        with self._lock:
            if is_sound and not self._is_closed:
                self._idle.append(connection)
                return
        _close(connection)

    def _close_idle(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            _close(connection)


class _Borrowed:
    """The caller's connection: nothing is retried or closed."""

    _checked: ClassVar["WeakSet[SnowflakeConnection]"] = WeakSet()

    def __init__(self, connection: "SnowflakeConnection") -> None:
        self._connection = connection

    def run(self, work: "Callable[[SnowflakeConnection], T]") -> T:
        if self._connection not in self._checked:
            _check_version(self._connection)
            self._checked.add(self._connection)
        return work(self._connection)

    def close(self) -> None:
        pass


def _append_event(event: Event | None, given: Mapping[str, Any]) -> _Call[AppendResult]:
    if event is None:
        event = RunEventWrite(**given)
    elif given:
        raise TypeError("give an event or keyword arguments, not both")
    if isinstance(event, RunEventWrite):
        sent = [_parameter(getattr(event, each.name)) for each in fields(event)]
        return _Call(_APPEND_EVENT, sent, _one(AppendResult))
    return _append_json(_text(event))


def _append_json(text: str) -> _Call[AppendResult]:
    return _Call("CALL APPEND_EVENT(PARSE_JSON(?))", [text], _one(AppendResult))


def _append_batch(texts: Sequence[str]) -> _Call[list[AppendResult]]:
    return _Call("CALL APPEND_EVENTS(PARSE_JSON(?))", [f"[{','.join(texts)}]"], _all(AppendResult))


def _batches(texts: Sequence[str]) -> Iterator[list[str]]:
    """Cut many events into batches: so many, and so long that each still fits into one VARIANT."""
    batch: list[str] = []
    length = 0
    for text in texts:
        if batch and (len(batch) == BATCH_SIZE or length + len(text) > BATCH_CHARACTERS):
            yield batch
            batch, length = [], 0
        batch.append(text)
        length += len(text)
    if batch:
        yield batch


def _named_arguments() -> str:
    instant = "TO_TIMESTAMP_TZ(?, 'YYYY-MM-DD\"T\"HH24:MI:SS.FF6TZH:TZM')"
    made_by = {"emitted_at": instant, "payload": "PARSE_JSON(?)", "engine_run_ref": "PARSE_JSON(?)"}
    names = [each.name for each in fields(RunEventWrite)]
    return ", ".join(f"P_{name.upper()} => {made_by.get(name, '?')}" for name in names)


_APPEND_EVENT = f"CALL APPEND_EVENT({_named_arguments()})"


def _parameter(value: Any) -> Any:
    if isinstance(value, datetime):
        return _instant(value)
    if isinstance(value, Mapping):
        return _text(value)
    return str(value) if isinstance(value, UUID) else value


def _instant(value: datetime) -> str:
    offset = value.utcoffset() or timedelta()
    if offset % timedelta(minutes=1):
        # RFC 3339, and the format above, have no seconds in an offset.
        value = value.astimezone(timezone.utc)
    return value.isoformat(timespec="microseconds")


def _json_of(event: Event) -> str:
    return _text(event.to_json() if isinstance(event, RunEventWrite) else event)


def _text(value: Any) -> str:
    """Return JSON text for a parameter. NaN and Infinity fail here: Snowflake would take them."""
    return json.dumps(value, default=_plain, allow_nan=False)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"a value of type {type(value).__name__} cannot be written as JSON")


_READERS: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("event_id", "caused_by_signal_id", "parent_event_id"), UUID),
    **dict.fromkeys(("payload", "engine_run_ref"), json.loads),
}


def _all(kind: Callable[..., T]) -> Callable[[list[Row]], list[T]]:
    # Columns by name: a column that a newer schema adds changes nothing here.
    names = [each.name for each in fields(kind)]  # type: ignore[arg-type]
    return lambda rows: [kind(*(_read(name, row[name.upper()]) for name in names)) for row in rows]


def _one(kind: Callable[..., T]) -> Callable[[list[Row]], T]:
    read = _all(kind)
    return lambda rows: read(rows)[0]


def _read(name: str, value: Any) -> Any:
    if isinstance(value, datetime):
        return value.replace(tzinfo=timezone.utc)
    return _READERS[name](value) if name in _READERS and value is not None else value


def _value(rows: list[Row]) -> Any:
    return next(iter(rows[0].values()))


def _json(rows: list[Row]) -> Any:
    text = _value(rows)
    return None if text is None else json.loads(text)


_VERSION: _Call[str] = _Call("SELECT VERSION()", [], _value)


def _execute(connection: "SnowflakeConnection", call: _Call[T]) -> T:
    try:
        with connection.cursor() as cursor:
            cursor.execute(call.statement, call.parameters)
            names = [column[0] for column in cursor.description]
            rows = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
    except Exception as error:
        refusal = from_snowflake(error)
        if refusal is None:
            raise
        raise refusal from error
    return call.read(rows)


def _check_version(connection: "SnowflakeConnection") -> None:
    from snowflake.connector.errors import ProgrammingError

    try:
        found = _execute(connection, _VERSION)
    except ProgrammingError as error:
        if error.errno not in _MISSING:
            raise
        raise NotInstalled(
            "this database and schema have no runstore, or the role may not use it",
            hint="Install it from migrations/snowflake, or connect with the database, schema and role of one that is.",
        ) from error
    _calls.check_version(found, upgrade="apply what is new in migrations/snowflake")


def _is_lost(error: BaseException, connection: "SnowflakeConnection") -> bool:
    """Whether the connection is of no more use; what the server has said of the statement does not mean that."""
    from snowflake.connector.errors import DatabaseError, Error, OperationalError

    if not isinstance(error, Error):
        return False
    is_answer = isinstance(error, DatabaseError) and not isinstance(error, OperationalError)
    return not is_answer or error.errno in _SESSION_IS_GONE or connection.is_closed()


def _is_transient(error: BaseException) -> bool:
    from snowflake.connector.errors import Error

    if isinstance(error, Error):
        text = str(error).lower()
        return error.errno in _NUMBERS_OF_A_LOST_RACE or any(words in text for words in _WORDS_OF_A_LOST_RACE)
    return isinstance(error, AppendRaced)


def _is_refusal(error: Exception) -> bool:
    """Whether the error belongs to one event of many: a refusal of the store's, or text that Snowflake cannot read."""
    from snowflake.connector.errors import DatabaseError

    if isinstance(error, RunStoreError):
        return (error.sqlstate or "").startswith("RS")
    return isinstance(error, DatabaseError) and error.sqlstate.startswith("22") and not _is_transient(error)


def _index(error: Exception) -> int | None:
    """Return which event of a batch was refused; text that cannot be read does not say."""
    return error.detail.get("index") if isinstance(error, RunStoreError) else None


def _close(connection: "SnowflakeConnection") -> None:
    with suppress(Exception):
        connection.close(retry=False)


def _require_connector() -> None:
    try:
        import snowflake.connector  # noqa: F401
    except ImportError as error:
        raise ImportError("Snowflake's connector is missing: pip install 'runstore[snowflake]'") from error
