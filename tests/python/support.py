"""What tests share beyond fixtures: databases to work in, and certainty that a session waits."""

import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

import psycopg
import pytest
from psycopg import sql
from runstore import migrate
from runstore.embedded import Server

Connection = psycopg.Connection[tuple[Any, ...]]


class Connect(Protocol):
    """Opens a connection to the test's database, which is closed after the test."""

    def __call__(self, *, autocommit: bool = True, **parameters: Any) -> Connection: ...  # noqa: D102


def wait_until_blocked(observer: Connection, pid: int, timeout: float = 10) -> None:
    """Return when the backend really waits for a lock that another one holds.

    A race is only a race if the second session has arrived at the lock; a sleep would not prove it.
    """
    deadline = time.monotonic() + timeout
    while True:
        row = observer.execute(
            "select state, wait_event_type, wait_event, query, pg_blocking_pids(pid) from pg_stat_activity "
            "where pid = %s",
            [pid],
        ).fetchone()
        if row and row[1] == "Lock" and row[4]:
            return
        if time.monotonic() > deadline:
            pytest.fail(f"backend {pid} does not wait for a lock after {timeout:g} s; it is: {row or 'gone'}")
        time.sleep(0.01)


def make_template(server: Server, name: str) -> str:
    """Create a database with all migrations."""
    run_sql(server, sql.SQL("create database {}").format(sql.Identifier(name)))
    migrate.apply(server.dsn(name))
    return name


@contextmanager
def cloned(server: Server, template: str) -> Iterator[str]:
    """Lend a copy of the template database, and drop it whoever is still connected."""
    name = f"test_{uuid.uuid4().hex}"
    identifiers = {"name": sql.Identifier(name), "template": sql.Identifier(template)}
    run_sql(server, sql.SQL("create database {name} template {template}").format(**identifiers))
    try:
        yield name
    finally:
        run_sql(server, sql.SQL("drop database {name} with (force)").format(**identifiers))


def run_sql(server: Server, statement: sql.Composed) -> None:
    """Run one statement in the maintenance database."""
    with psycopg.connect(server.dsn(), autocommit=True) as connection:
        connection.execute(statement)
