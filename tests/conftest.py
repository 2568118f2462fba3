"""One server for the whole session, and a fresh copy of the migrated database for each test."""

import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import make_conninfo
from runstore.embedded import Server
from support import Connect, Connection, cloned, make_template

# What the local bench of tests/snowflake is made of has no release for Python 3.10, which the package supports.
IS_TOO_OLD_FOR_THE_BENCH = sys.version_info < (3, 11)
collect_ignore = ["snowflake"] if IS_TOO_OLD_FOR_THE_BENCH else []


def pytest_report_header() -> str | None:
    """Say what is left out."""
    if IS_TOO_OLD_FOR_THE_BENCH:
        return "tests/snowflake is left out: its bench needs Python 3.11 or newer"
    return None


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--pg-bin", help="write --pg-bin=DIR: the PostgreSQL programs to test against (or RUNSTORE_PG_BIN)"
    )


@pytest.fixture(scope="session")
def pg_bin(request: pytest.FixtureRequest) -> str | None:
    """The directory of PostgreSQL programs that was asked for, None for whichever is found."""
    chosen: str | None = request.config.getoption("--pg-bin") or os.environ.get("RUNSTORE_PG_BIN")
    return chosen


@pytest.fixture(scope="session")
def server(pg_bin: str | None) -> Iterator[Server]:
    """The server of the session, durable as PostgreSQL ships; a test may kill it, and then restarts it."""
    with Server.temporary(pg_bin=pg_bin, settings={"max_connections": "100", "statement_timeout": "120s"}) as started:
        started.start()
        yield started


@pytest.fixture(scope="session")
def template(server: Server) -> str:
    """The name of a database that has all migrations; nobody may stay connected to it."""
    return make_template(server, "runstore_template")


@pytest.fixture
def dsn(server: Server, template: str) -> Iterator[str]:
    """A fresh, migrated database of this test's own."""
    with cloned(server, template) as name:
        yield server.dsn(name)


@pytest.fixture
def empty_dsn(server: Server) -> Iterator[str]:
    """A fresh database without anything in it."""
    with cloned(server, "template1") as name:
        yield server.dsn(name)


@pytest.fixture
def connect(dsn: str) -> Iterator[Connect]:
    """A factory of connections to the test's database."""
    with ExitStack() as stack:

        def open_connection(*, autocommit: bool = True, **parameters: Any) -> Connection:
            connection = psycopg.connect(make_conninfo(dsn, **parameters), autocommit=autocommit)
            stack.callback(connection.close)
            return connection

        yield open_connection
