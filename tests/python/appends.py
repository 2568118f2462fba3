"""Sending events as a client does, in each of the three forms, and running several clients at once."""

import hashlib
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar
from uuid import UUID

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo
from psycopg.types.json import Jsonb
from support import Connection, wait_until_blocked

Event = dict[str, Any]
T = TypeVar("T")

EMITTED_AT = "2026-02-16T09:30:00.123456Z"
LEVELS = ("read committed", "repeatable read", "serializable")


@dataclass(frozen=True)
class Answer:
    """What append_event() returns."""

    event_id: UUID
    run_seq: int
    persisted_at: datetime
    idempotent: bool
    persisted: bool


Ack = tuple[Event, Answer]


def event(run: str, step: str, **fields: Any) -> Event:
    """Return an ordinary event in its JSON form; its step makes its key."""
    return {
        "runId": run,
        "eventType": "StepCompleted",
        "emittedAt": EMITTED_AT,
        "tenantId": "tenant",
        "projectId": "project",
        "environmentId": "environment",
        "planId": "plan",
        "planVersion": "1",
        "stepId": step,
        **fields,
    }


def signal(run: str, step: str) -> Event:
    """Return an event that the limit per minute applies to."""
    return event(run, step, eventType="SignalAccepted")


def key_of(sent: Event) -> str:
    """Return the key that the store has to use for an event."""
    names = ("runId", "stepId", "logicalAttemptId", "eventType", "planId", "planVersion")
    named = {"logicalAttemptId": 1, **sent, "stepId": sent.get("stepId") or "RUN"}
    computed = hashlib.sha256("|".join(str(named[name]) for name in names).encode()).hexdigest()
    return str(sent.get("idempotencyKey") or computed).lower()


def append(connection: Connection, sent: Event) -> Answer:
    """Append one event in its JSON form."""
    return _answers(connection.execute("select * from runstore.append_event(%s)", [Jsonb(sent)]))[0]


def append_named(connection: Connection, sent: Event) -> Answer:
    """Append one event by named arguments."""
    arguments = {_parameter(name): argument(name, value) for name, value in sent.items()}
    call = sql.SQL("select * from runstore.append_event({})").format(
        sql.SQL(", ").join(sql.SQL("{} => {}").format(sql.Identifier(p), sql.Placeholder(p)) for p in arguments)
    )
    return _answers(connection.execute(call, arguments))[0]


def argument(name: str, value: Any) -> Any:
    """Return the value of a field as an SQL parameter."""
    return Jsonb(value) if name in ("payload", "engineRunRef") and value is not None else value


def append_batch(connection: Connection, sent: Sequence[Event]) -> list[Answer]:
    """Append a batch."""
    return _answers(connection.execute("select * from runstore.append_events(%s)", [Jsonb(list(sent))]))


def impatient(dsn: str) -> str:
    """Return the DSN with a limit to any wait for a lock: a test that would wait for ever fails instead."""
    return make_conninfo(dsn, options="-c lock_timeout=30s")


def set_level(connection: Connection, level: str) -> Connection:
    """Make this the isolation level of the session's transactions."""
    connection.execute("select set_config('default_transaction_isolation', %s, false)", [level])
    if not connection.autocommit:
        connection.commit()
    return connection


def set_clock(connection: Connection, instant: datetime) -> None:
    """Replace the store's clock by one that stands still until it is set again.

    It is kept in a sequence, because that shows its value to all at once, to transactions with an old snapshot too.
    """
    connection.execute("create sequence if not exists public.clock")
    connection.execute("select setval('public.clock', extract(epoch from %s::timestamptz)::bigint)", [instant])
    connection.execute(
        "create or replace function runstore.clock() returns timestamptz language sql volatile "
        "return (select pg_catalog.to_timestamp(c.last_value) from public.clock as c)"
    )


@contextmanager
def waiting(observer: Connection, connection: Connection, call: Callable[[], T]) -> Iterator["Future[T]"]:
    """Start the call in a thread, and go on when its session waits for a lock; the body has to let it go."""
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(call)
        done = False
        try:
            wait_until_blocked(observer, connection.info.backend_pid)
            yield future
            done = True
        finally:
            if not done:
                observer.execute("select pg_terminate_backend(%s)", [connection.info.backend_pid])


def together(clients: int, work: Callable[[int], list[T]]) -> list[T]:
    """Run the work of all clients at once, and return what they returned, joined."""
    barrier = threading.Barrier(clients)

    def start(client: int) -> list[T]:
        barrier.wait()
        return work(client)

    with ThreadPoolExecutor(clients) as pool:
        futures = [pool.submit(start, client) for client in range(clients)]
    return [item for future in futures for item in future.result()]


@contextmanager
def followed(connection: Connection, runs: Sequence[str]) -> Iterator[dict[str, int]]:
    """Poll the runs by watermark meanwhile, and fail if an event shows before the one below it.

    After the block, what was given to it says how far each run was read.
    """
    seen = dict.fromkeys(runs, 0)
    stop = threading.Event()

    def follow() -> None:
        while True:
            last_round = stop.wait(0.001)
            for run in runs:
                for (seq,) in connection.execute("select run_seq from runstore.fetch_events(%s, %s)", [run, seen[run]]):
                    assert seq == seen[run] + 1, f"{run}: saw {seq} after {seen[run]}"
                    seen[run] = seq
            if last_round:
                return

    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(follow)
        try:
            yield seen
        finally:
            stop.set()
    future.result()


def _answers(cursor: psycopg.Cursor[tuple[Any, ...]]) -> list[Answer]:
    return [Answer(*row) for row in cursor]


def _parameter(name: str) -> str:
    return "p_" + re.sub(r"[A-Z]", lambda letter: "_" + letter.group().lower(), name)
