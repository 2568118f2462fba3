"""The store for programs that wait for its answers; runstore.aio has the same for asyncio."""

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, overload
from weakref import WeakSet

import psycopg
from psycopg.rows import tuple_row
from psycopg_pool import ConnectionPool

from runstore import _calls
from runstore._calls import Call, Event, Row
from runstore.events import AppendResult, EventFields, RunEventRecord, RunSummary

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

T = TypeVar("T")
Connection = psycopg.Connection[Any]


def connect(
    dsn: str,
    *,
    min_size: int = 1,
    max_size: int = 4,
    timeout: float = 30.0,
    statement_timeout: float | None = 30.0,
    retries: int = 5,
) -> "RunStore":
    """Return a store with a pool of connections of its own; any number of threads may use it.

    Nothing is opened before the first call. That one says at once what is wrong: psycopg.OperationalError for a server
    that cannot be reached, NotInstalled or IncompatibleSchema for what it holds. Close the store, or use it in a with.

    min_size, max_size: how many connections are kept, and how many there may be. timeout: seconds to wait for one
    (then psycopg_pool.PoolTimeout). statement_timeout: seconds a call may take in the server, waits for locks included
    (then psycopg.errors.QueryCanceled); None leaves it to the server. retries: how often a call is sent again.
    """
    parameters = _calls.connection_parameters(dsn, timeout, statement_timeout)
    pool = ConnectionPool(
        kwargs=parameters, min_size=min_size, max_size=max_size, timeout=timeout, open=False, name="runstore"
    )
    return RunStore(_Pooled(pool, parameters, retries))


class RunStore:
    """Calls the store's procedures; every rule is in the database. Made by connect() or on().

    Refusals are the classes of runstore.errors. A call through a store's own connections is sent again after a lost
    race (40001, 40P01) or a lost connection, always with the same key, so an event is never stored twice; when the
    first try had got through, the answer is that of a duplicate. Nothing that was refused is sent again.
    """

    def __init__(self, source: "_Pooled | _Borrowed") -> None:
        self._source = source

    @classmethod
    def on(cls, connection: Connection) -> "RunStore":
        """Return a store that works in the caller's connection and transaction; it never retries, commits or closes.

        Appends become visible, and their runs free for others, when the caller commits. An error leaves the
        transaction aborted, as any other statement's does.
        """
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

        Without an idempotency_key the database computes it from the fields, so it is the same for a second try. An
        event_id need not be given for that: a known key is answered with the id that was stored.
        """
        return self._call(_calls.append_event(event, fields))

    def append_events(self, events: Iterable[Event]) -> list[AppendResult]:
        """Append a batch in one call and one transaction: all or nothing; answers in input order.

        The fastest way for events that belong together. One refused event refuses all; detail["index"] names it.
        For many events that have nothing to do with each other see append_many().
        """
        return self._call(_calls.append_events(list(events)))

    def append_many(self, events: Iterable[Event]) -> list[AppendResult]:
        """Append each event for itself, without waiting for one answer before the next is sent (pipeline mode).

        Use it for many events that need not stand or fall together (an import, a queue that is drained): a refused
        one keeps none of the others out. All are tried; if some were refused, AppendsRefused has the outcome of each.
        Answers are in input order, and events of one run are stored in it.

        Pipelines of up to 200 events share a commit. One in which an event is refused is undone and its events are
        sent again singly, so input that is mostly refused is slow. On a borrowed connection nothing can be undone for
        the caller: all is one pipeline, and the first refusal is raised with detail["index"].
        """
        calls = [_calls.append_event(event, {}) for event in events]
        if isinstance(self._source, _Borrowed):
            return self._source.run(lambda connection: _pipeline(connection, calls, is_own=False))
        outcomes: list[AppendResult | Exception] = []
        for chunk in _calls.chunks(calls):
            outcomes += self._outcomes(chunk)
        return _calls.results_of(outcomes)

    def fetch_events(self, run_id: str, after_seq: int = 0, limit: int = 1000) -> list[RunEventRecord]:
        """Return up to limit events with run_seq above after_seq, in order; none for an unknown run."""
        return self._call(_calls.fetch_events(run_id, after_seq, limit))

    def follow(
        self,
        run_id: str,
        after_seq: int = 0,
        *,
        poll: float = 0.2,
        timeout: float | None = None,
        stop: threading.Event | None = None,
        limit: int = 1000,
    ) -> Iterator[RunEventRecord]:
        """Yield the run's events above after_seq in order, and wait for more; the run need not exist yet.

        It asks every poll seconds, limit events at a time, and holds no connection in between. It ends when nothing
        new has come for timeout seconds (0: at the end of what is there; None: never) or when stop is set; never by
        itself, not after the end of the run either: the caller knows what it waits for. To go on later, start from the
        last run_seq. GapDetected when an event is missing.
        """
        follower = _calls.Follower(run_id, after_seq, poll, timeout)
        stop = stop or threading.Event()
        while not stop.is_set():
            page = self._call(follower.next_page(limit))
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
            page = self._call(_calls.list_runs(tenant_id, status, limit, cursor))
            yield from page
            if len(page) < limit:
                return
            cursor = page[-1].cursor

    def get_snapshot(self, run_id: str) -> dict[str, Any] | None:
        """Return the stored snapshot (RunSnapshot JSON), None when there is none yet."""
        return self._call(_calls.get_snapshot(run_id))

    def project_snapshot(self, run_id: str) -> dict[str, Any]:
        """Bring the snapshot up to the log's end and return it; RunNotFound for an unknown run."""
        return self._call(_calls.project_snapshot(run_id))

    def replay_snapshot(self, run_id: str, up_to_seq: int | None = None) -> dict[str, Any]:
        """Return the fold of the log up to an event, or of all of it; stores nothing."""
        return self._call(_calls.replay_snapshot(run_id, up_to_seq))

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
        return self._call(
            _calls.idempotency_key(run_id, step_id, logical_attempt_id, event_type, plan_id, plan_version)
        )

    def version(self) -> str:
        """Return the version of the schema in the database."""
        return self._call(_calls.version())

    def _call(self, call: Call[T]) -> T:
        return self._source.run(lambda connection: _execute(connection, call))

    def _outcomes(self, calls: Sequence[Call[AppendResult]]) -> Sequence[AppendResult | Exception]:
        try:
            return self._source.run(lambda connection: _pipeline(connection, calls, is_own=True))
        except _calls.REFUSALS:
            return [self._outcome(call) for call in calls]

    def _outcome(self, call: Call[AppendResult]) -> AppendResult | Exception:
        try:
            return self._call(call)
        except _calls.REFUSALS as error:
            return error


class _Pooled:
    """Connections of our own, each call a transaction: what is transient is tried again."""

    def __init__(self, pool: ConnectionPool[Connection], parameters: dict[str, Any], retries: int) -> None:
        self._pool = pool
        self._parameters = parameters
        self._retries = retries
        self._is_checked = False

    def run(self, work: Callable[[Connection], T]) -> T:
        for pause in _calls.pauses(self._retries):
            connection: Connection | None = None
            try:
                self._make_ready()
                with self._pool.connection() as connection:
                    return work(connection)
            except psycopg.Error as error:
                lost = connection is not None and connection.closed
                if pause is None or not _calls.is_transient(error, lost=lost):
                    raise
            time.sleep(pause)
            if lost:
                # The others are likely to be dead as well, and would cost a try each.
                self._pool.check()
        raise AssertionError("the last try returns or raises")

    def close(self) -> None:
        self._pool.close()

    def _make_ready(self) -> None:
        if not self._is_checked:
            # Not from the pool, which would keep the reason of a failure to itself until its time is over.
            with psycopg.connect(**self._parameters) as connection:
                _check_version(connection)
            self._pool.open()
            self._is_checked = True


class _Borrowed:
    """The caller's connection: nothing is retried, committed or closed."""

    _checked: ClassVar["WeakSet[Connection]"] = WeakSet()

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def run(self, work: Callable[[Connection], T]) -> T:
        if self._connection not in self._checked:
            _check_version(self._connection)
            self._checked.add(self._connection)
        return work(self._connection)

    def close(self) -> None:
        pass


def _check_version(connection: Connection) -> None:
    try:
        found = _execute(connection, _calls.version())
    except _calls.NOT_INSTALLED as error:
        raise _calls.not_installed() from error
    _calls.check_version(found)


def _cursor(connection: Connection) -> psycopg.Cursor[Row]:
    # Not connection.cursor(): the caller's may make rows, or read placeholders, of another kind.
    return psycopg.Cursor(connection, row_factory=tuple_row)


def _execute(connection: Connection, call: Call[T]) -> T:
    with _calls.translated(), _cursor(connection) as cursor:
        cursor.execute(call.statement, call.parameters)
        return call.read(cursor.fetchall())


def _pipeline(connection: Connection, calls: Sequence[Call[T]], *, is_own: bool) -> list[T]:
    cursors = [_cursor(connection) for _ in calls]
    order = _calls.lock_order(calls)
    with _calls.attributed(cursors, order), _calls.translated():
        failure: psycopg.Error | None = None
        try:
            with connection.pipeline():
                try:
                    for index in order:
                        call = calls[index]
                        cursors[index].execute(call.statement, call.parameters, prepare=None if is_own else False)
                except psycopg.Error as error:
                    failure = error
        except psycopg.Error as error:
            failure = failure or error
        if failure:
            if is_own and not connection.closed:
                # psycopg takes statements for prepared that the server passed over; with a rollback it forgets them.
                with connection.transaction(force_rollback=True):
                    pass
            raise failure
    return [call.read(cursor.fetchall()) for call, cursor in zip(calls, cursors, strict=True)]
