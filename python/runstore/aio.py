"""The store for asyncio: RunStore's methods with the same arguments, answers and errors, to be awaited."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, overload
from weakref import WeakSet

import psycopg
from psycopg.rows import tuple_row
from psycopg_pool import AsyncConnectionPool

from runstore import _calls
from runstore._calls import Call, Event, Row
from runstore.events import AppendResult, EventFields, RunEventRecord, RunSummary

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

T = TypeVar("T")
Connection = psycopg.AsyncConnection[Any]


def connect_async(
    dsn: str,
    *,
    min_size: int = 1,
    max_size: int = 4,
    timeout: float = 30.0,
    statement_timeout: float | None = 30.0,
    retries: int = 5,
) -> "AsyncRunStore":
    """Return a store with a pool of connections of its own, for the tasks of one event loop; see connect()."""
    parameters = _calls.connection_parameters(dsn, timeout, statement_timeout)
    pool = AsyncConnectionPool(
        kwargs=parameters, min_size=min_size, max_size=max_size, timeout=timeout, open=False, name="runstore"
    )
    return AsyncRunStore(_Pooled(pool, parameters, retries))


class AsyncRunStore:
    """RunStore for asyncio. Made by connect_async() or on()."""

    def __init__(self, source: "_Pooled | _Borrowed") -> None:
        self._source = source

    @classmethod
    def on(cls, connection: Connection) -> "AsyncRunStore":
        """Return a store that works in the caller's connection and transaction; see RunStore.on()."""
        return cls(_Borrowed(connection))

    async def __aenter__(self) -> "Self":
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the store's own connections; a borrowed one stays as it is."""
        await self._source.close()

    @overload
    async def append_event(self, event: Event, /) -> AppendResult: ...
    @overload
    async def append_event(self, /, **fields: "Unpack[EventFields]") -> AppendResult: ...
    async def append_event(self, event: Event | None = None, /, **fields: Any) -> AppendResult:
        """Append one event; see RunStore.append_event()."""
        return await self._call(_calls.append_event(event, fields))

    async def append_events(self, events: Iterable[Event]) -> list[AppendResult]:
        """Append a batch, all or nothing; see RunStore.append_events()."""
        return await self._call(_calls.append_events(list(events)))

    async def append_many(self, events: Iterable[Event]) -> list[AppendResult]:
        """Append each event for itself in pipelines; see RunStore.append_many()."""
        calls = [_calls.append_event(event, {}) for event in events]
        if isinstance(self._source, _Borrowed):
            return await self._source.run(lambda connection: _pipeline(connection, calls, is_own=False))
        outcomes: list[AppendResult | Exception] = []
        for chunk in _calls.chunks(calls):
            outcomes += await self._outcomes(chunk)
        return _calls.results_of(outcomes)

    async def fetch_events(self, run_id: str, after_seq: int = 0, limit: int = 1000) -> list[RunEventRecord]:
        """Return up to limit events with run_seq above after_seq, in order; none for an unknown run."""
        return await self._call(_calls.fetch_events(run_id, after_seq, limit))

    async def follow(
        self,
        run_id: str,
        after_seq: int = 0,
        *,
        poll: float = 0.2,
        timeout: float | None = None,
        stop: asyncio.Event | None = None,
        limit: int = 1000,
    ) -> AsyncIterator[RunEventRecord]:
        """Yield the run's events above after_seq in order, and wait for more; see RunStore.follow()."""
        follower = _calls.Follower(run_id, after_seq, poll, timeout)
        stop = stop or asyncio.Event()
        while not stop.is_set():
            page = await self._call(follower.next_page(limit))
            for event in page:
                if stop.is_set():
                    return
                yield follower.accept(event)
            pause = follower.pause(len(page))
            if pause is None:
                return
            with suppress(asyncio.TimeoutError):
                await asyncio.wait_for(stop.wait(), pause)

    async def list_runs(
        self, tenant_id: str | None = None, status: str | None = None, *, limit: int = 100, cursor: str | None = None
    ) -> AsyncIterator[RunSummary]:
        """Yield all runs as far as they have been projected, the newest first; see RunStore.list_runs()."""
        while True:
            page = await self._call(_calls.list_runs(tenant_id, status, limit, cursor))
            for run in page:
                yield run
            if len(page) < limit:
                return
            cursor = page[-1].cursor

    async def get_snapshot(self, run_id: str) -> dict[str, Any] | None:
        """Return the stored snapshot (RunSnapshot JSON), None when there is none yet."""
        return await self._call(_calls.get_snapshot(run_id))

    async def project_snapshot(self, run_id: str) -> dict[str, Any]:
        """Bring the snapshot up to the log's end and return it; RunNotFound for an unknown run."""
        return await self._call(_calls.project_snapshot(run_id))

    async def replay_snapshot(self, run_id: str, up_to_seq: int | None = None) -> dict[str, Any]:
        """Return the fold of the log up to an event, or of all of it; stores nothing."""
        return await self._call(_calls.replay_snapshot(run_id, up_to_seq))

    async def idempotency_key(
        self,
        run_id: str,
        step_id: str | None,
        logical_attempt_id: int,
        event_type: str,
        plan_id: str,
        plan_version: str,
    ) -> str:
        """Return the key that the store computes for such an event."""
        return await self._call(
            _calls.idempotency_key(run_id, step_id, logical_attempt_id, event_type, plan_id, plan_version)
        )

    async def version(self) -> str:
        """Return the version of the schema in the database."""
        return await self._call(_calls.version())

    async def _call(self, call: Call[T]) -> T:
        return await self._source.run(lambda connection: _execute(connection, call))

    async def _outcomes(self, calls: Sequence[Call[AppendResult]]) -> Sequence[AppendResult | Exception]:
        try:
            return await self._source.run(lambda connection: _pipeline(connection, calls, is_own=True))
        except _calls.REFUSALS:
            return [await self._outcome(call) for call in calls]

    async def _outcome(self, call: Call[AppendResult]) -> AppendResult | Exception:
        try:
            return await self._call(call)
        except _calls.REFUSALS as error:
            return error


class _Pooled:
    """Connections of our own, each call a transaction: what is transient is tried again."""

    def __init__(self, pool: AsyncConnectionPool[Connection], parameters: dict[str, Any], retries: int) -> None:
        self._pool = pool
        self._parameters = parameters
        self._retries = retries
        self._is_checked = False

    async def run(self, work: Callable[[Connection], Awaitable[T]]) -> T:
        for pause in _calls.pauses(self._retries):
            connection: Connection | None = None
            try:
                await self._make_ready()
                async with self._pool.connection() as connection:
                    return await work(connection)
            except psycopg.Error as error:
                lost = connection is not None and connection.closed
                if pause is None or not _calls.is_transient(error, lost=lost):
                    raise
            await asyncio.sleep(pause)
            if lost:
                # The others are likely to be dead as well, and would cost a try each.
                await self._pool.check()
        raise AssertionError("the last try returns or raises")

    async def close(self) -> None:
        await self._pool.close()

    async def _make_ready(self) -> None:
        if not self._is_checked:
            # Not from the pool, which would keep the reason of a failure to itself until its time is over.
            async with await psycopg.AsyncConnection.connect(**self._parameters) as connection:
                await _check_version(connection)
            await self._pool.open()
            self._is_checked = True


class _Borrowed:
    """The caller's connection: nothing is retried, committed or closed."""

    _checked: ClassVar["WeakSet[Connection]"] = WeakSet()

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def run(self, work: Callable[[Connection], Awaitable[T]]) -> T:
        if self._connection not in self._checked:
            await _check_version(self._connection)
            self._checked.add(self._connection)
        return await work(self._connection)

    async def close(self) -> None:
        pass


async def _check_version(connection: Connection) -> None:
    try:
        found = await _execute(connection, _calls.version())
    except _calls.NOT_INSTALLED as error:
        raise _calls.not_installed() from error
    _calls.check_version(found)


def _cursor(connection: Connection) -> psycopg.AsyncCursor[Row]:
    # Not connection.cursor(): the caller's may make rows, or read placeholders, of another kind.
    return psycopg.AsyncCursor(connection, row_factory=tuple_row)


async def _execute(connection: Connection, call: Call[T]) -> T:
    with _calls.translated():
        async with _cursor(connection) as cursor:
            await cursor.execute(call.statement, call.parameters)
            return call.read(await cursor.fetchall())


async def _pipeline(connection: Connection, calls: Sequence[Call[T]], *, is_own: bool) -> list[T]:
    cursors = [_cursor(connection) for _ in calls]
    order = _calls.lock_order(calls)
    with _calls.attributed(cursors, order), _calls.translated():
        failure: psycopg.Error | None = None
        try:
            async with connection.pipeline():
                try:
                    for index in order:
                        call = calls[index]
                        await cursors[index].execute(call.statement, call.parameters, prepare=None if is_own else False)
                except psycopg.Error as error:
                    failure = error
        except psycopg.Error as error:
            failure = failure or error
        if failure:
            if is_own and not connection.closed:
                # psycopg takes statements for prepared that the server passed over; with a rollback it forgets them.
                async with connection.transaction(force_rollback=True):
                    pass
            raise failure
    return [call.read(await cursor.fetchall()) for call, cursor in zip(calls, cursors, strict=True)]
