"""Stores on the bench, and a PostgreSQL to compare them with."""

from collections.abc import Iterator

import psycopg
import pytest
from bench_stores import BenchStore, fresh_store
from runstore.embedded import Server
from support import Connection, cloned


@pytest.fixture(scope="module")
def shared() -> Iterator[BenchStore]:
    """A store for all tests of a module: each has runs of its own."""
    with fresh_store() as store:
        yield store


@pytest.fixture
def store() -> Iterator[BenchStore]:
    """A store of the test's own."""
    with fresh_store() as own:
        yield own


@pytest.fixture(scope="module")
def postgres(server: Server, template: str) -> Iterator[Connection]:
    """A store in PostgreSQL for all tests of a module."""
    with (
        cloned(server, template) as name,
        psycopg.connect(server.dsn(name), autocommit=True, options="-c timezone=UTC") as connection,
    ):
        yield connection
