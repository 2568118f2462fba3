"""Both kinds of store behind one face, so that a test says once what both have to do; and a line that can be cut."""

import asyncio
import inspect
import socket
import tempfile
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, suppress
from datetime import datetime, timezone
from typing import Any, Literal, cast

import psycopg
import pytest
import runstore
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from runstore import AsyncRunStore, RunEventWrite, RunStore
from support import Connection

Kind = Literal["sync", "async"]

EMITTED_AT = datetime(2026, 2, 16, 9, 30, 0, 123456, tzinfo=timezone.utc)


def write(run: str, step: str | None = None, **fields: Any) -> RunEventWrite:
    """Return an ordinary event; its step makes its key."""
    given: dict[str, Any] = {
        "run_id": run,
        "event_type": "StepCompleted" if step else "RunStarted",
        "emitted_at": EMITTED_AT,
        "tenant_id": "tenant",
        "project_id": "project",
        "environment_id": "environment",
        "plan_id": "plan",
        "plan_version": "1",
        "step_id": step,
    }
    return RunEventWrite(**{**given, **fields})


class Stores:
    """Makes stores of one kind, and closes them. Those for asyncio answer as the others do: their loop is driven."""

    def __init__(self, kind: Kind, dsn: str) -> None:
        self.kind = kind
        self.dsn = dsn
        self._stack = ExitStack()

    def __enter__(self) -> "Stores":
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def connect(self, dsn: str | None = None, **settings: Any) -> RunStore:
        """Return a store with connections of its own."""
        target = self.dsn if dsn is None else dsn
        if self.kind == "sync":
            return self._stack.enter_context(runstore.connect(target, **settings))
        store = cast(RunStore, Driven(runstore.connect_async(target, **settings), self._loop()))
        self._stack.callback(store.close)
        return store

    def borrow(self, *, autocommit: bool = False, **parameters: Any) -> tuple[RunStore, Connection]:
        """Return a store on a caller's connection, and the connection."""
        dsn = make_conninfo(self.dsn, **parameters)
        if self.kind == "sync":
            connection = psycopg.connect(dsn, autocommit=autocommit)
            self._stack.callback(connection.close)
            return RunStore.on(connection), connection
        loop = self._loop()
        opened = loop.run_until_complete(psycopg.AsyncConnection.connect(dsn, autocommit=autocommit))
        driven = cast(Connection, Driven(opened, loop))
        self._stack.callback(driven.close)
        return cast(RunStore, Driven(AsyncRunStore.on(opened), loop)), driven

    def _loop(self) -> asyncio.AbstractEventLoop:
        loop = asyncio.new_event_loop()
        self._stack.callback(loop.close)
        return loop


class Driven:
    """An asyncio object whose methods block: one at a time, from any thread."""

    def __init__(self, target: Any, loop: asyncio.AbstractEventLoop) -> None:
        self._target = target
        self._loop = loop

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._target, name)
        return self._blocking(found) if inspect.ismethod(found) else found

    def _blocking(self, method: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            if isinstance(named.get("stop"), threading.Event):
                named["stop"] = _Stop(named["stop"])
            answer = method(*arguments, **named)
            if inspect.isasyncgen(answer):
                return self._each(answer)
            return self._loop.run_until_complete(answer) if inspect.isawaitable(answer) else answer

        return call

    def _each(self, answers: AsyncIterator[Any]) -> Iterator[Any]:
        with suppress(StopAsyncIteration):
            while True:
                yield self._loop.run_until_complete(answers.__anext__())


class _Stop(asyncio.Event):
    """The asyncio event that a test in another thread sets as if it were a threading.Event."""

    def __init__(self, source: threading.Event) -> None:
        super().__init__()
        self._source = source

    def is_set(self) -> bool:
        return self._source.is_set()

    async def wait(self) -> Literal[True]:
        while not self._source.is_set():
            await asyncio.sleep(0.005)
        return True


class Line:
    """A way to the server that can lose an answer: the server has done what it was asked, and nobody hears of it."""

    def __init__(self, dsn: str) -> None:
        parameters = conninfo_to_dict(dsn)
        self._server = f"{parameters['host']}/.s.PGSQL.{parameters['port']}"
        self._directory = tempfile.TemporaryDirectory(prefix="line-")
        self.dsn = make_conninfo(dsn, host=self._directory.name, port="1")
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(f"{self._directory.name}/.s.PGSQL.1")
        self._listener.listen()
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        self._threads: list[threading.Thread] = []
        self._armed_for: bytes | None = None
        self.answers_lost = 0
        self._start(self._accept)

    def lose_answer_to(self, statement: str) -> None:
        """Lose the answer to the next message that has these words, and the connection with it."""
        self._armed_for = statement.encode()

    def __enter__(self) -> "Line":
        return self

    def __exit__(self, *error: object) -> None:
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for pair in self._pairs:
            _cut(*pair)
        for thread in self._threads:
            thread.join(10)
        for pair in self._pairs:
            for end in pair:
                end.close()
        self._directory.cleanup()

    def _start(self, target: Callable[..., None], *arguments: Any) -> None:
        thread = threading.Thread(target=target, args=arguments, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = socket.socket(socket.AF_UNIX)
                self._pairs.append((client, server))
                server.connect(self._server)
                lost = threading.Event()
                self._start(self._forward, client, server, lost)
                self._start(self._return, client, server, lost)

    def _forward(self, client: socket.socket, server: socket.socket, lost: threading.Event) -> None:
        with suppress(OSError):
            while sent := client.recv(65536):
                if self._armed_for and self._armed_for in sent:
                    self._armed_for = None
                    lost.set()
                server.sendall(sent)
        _cut(client, server)

    def _return(self, client: socket.socket, server: socket.socket, lost: threading.Event) -> None:
        with suppress(OSError):
            while answer := server.recv(65536):
                if lost.is_set():
                    self.answers_lost += 1
                    break
                client.sendall(answer)
        _cut(client, server)


def _cut(*ends: socket.socket) -> None:
    for end in ends:
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)


def until(question: Callable[[], Any], timeout: float = 10) -> Any:
    """Return the first answer that is true."""
    deadline = time.monotonic() + timeout
    while not (answer := question()):
        if time.monotonic() > deadline:
            pytest.fail(f"still {answer!r} after {timeout:g} s")
        time.sleep(0.01)
    return answer


def waiting_pid(observer: Connection) -> int:
    """Return the backend of a store's call that waits for a lock; it may not have got there yet."""
    query = (
        "select pid from pg_stat_activity where application_name = 'runstore' and datname = current_database() "
        "and wait_event_type = 'Lock'"
    )
    found = until(lambda: observer.execute(query).fetchone())
    return int(found[0])
