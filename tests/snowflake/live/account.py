"""Where the cases are run: an account, or whatever can stand in for one."""

import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, Protocol
from uuid import uuid4

import snowflake.connector
from runstore import SnowflakeRunStore
from runstore import snowflake as client
from shipped import HYBRID, STANDARD, forward, statements
from snowflake.connector import SnowflakeConnection
from snowflake.connector.errors import ProgrammingError

NEEDED = ("SNOWFLAKE_ACCOUNT", "SNOWFLAKE_USER", "SNOWFLAKE_WAREHOUSE", "SNOWFLAKE_DATABASE")
EITHER = ("SNOWFLAKE_PASSWORD", "SNOWFLAKE_PRIVATE_KEY_FILE")
OPTIONAL = ("SNOWFLAKE_PRIVATE_KEY_FILE_PWD", "SNOWFLAKE_ROLE")
# What would reach beyond the schema, or go on by itself.
NOT_DEPLOYED = ("CREATE ROLE", "GRANT ", "CREATE OR REPLACE TASK", "CREATE TASK", "ALTER TASK")


class Account(Protocol):
    """A store that is installed, and ways in.

    clients is how many of them a case may have work at once; lock_timeout the session parameter for what it locks.
    """

    clients: int
    lock_timeout: str

    def connect(self, **parameters: Any) -> SnowflakeConnection:
        """Open a session of its own in the store's schema; closed at the end."""

    def store(self, **settings: Any) -> SnowflakeRunStore:
        """Return a store with connections of its own; closed at the end."""


def variant(environment: Mapping[str, str] = os.environ) -> str:
    """Return which tables are asked for: standard or hybrid."""
    return environment.get("SNOWFLAKE_TABLES") or "standard"


def missing(environment: Mapping[str, str] = os.environ) -> list[str]:
    """Return the variables that are not set, and have to be."""
    names = [name for name in NEEDED if not environment.get(name)]
    return names if any(map(environment.get, EITHER)) else [*names, " or ".join(EITHER)]


def parameters(environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return the connector's parameters that the variables stand for."""
    names = [name for name in (*NEEDED, *EITHER, *OPTIONAL) if environment.get(name)]
    return {name.removeprefix("SNOWFLAKE_").lower(): environment[name] for name in names}


class Installed:
    """The store in a schema of an account."""

    clients = 20

    def __init__(self, given: dict[str, str], schema: str, tables: str = "standard") -> None:
        self.lock_timeout = "HYBRID_TABLE_LOCK_TIMEOUT" if tables == "hybrid" else "LOCK_TIMEOUT"
        self._given = {**given, "schema": schema}
        self._stack = ExitStack()

    def __enter__(self) -> "Installed":
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def connect(self, **parameters: Any) -> SnowflakeConnection:
        """Open a session of its own in the store's schema; closed at the end."""
        session = snowflake.connector.connect(**{"paramstyle": "qmark", **self._given, **parameters})
        self._stack.callback(session.close)
        return session

    def store(self, **settings: Any) -> SnowflakeRunStore:
        """Return a store with connections of its own; closed at the end."""
        return self._stack.enter_context(client.connect(**{**self._given, **settings}))


@contextmanager
def installed(given: dict[str, str], tables: str = "standard") -> Iterator[Installed]:
    """Lend an account with the store in a schema of its own, which is dropped afterwards."""
    schema = f"RUNSTORE_TEST_{uuid4().hex[:12].upper()}"
    with snowflake.connector.connect(**given) as owner:
        owner.cursor().execute(f"CREATE SCHEMA {schema}")
        try:
            owner.cursor().execute(f"USE SCHEMA {schema}")
            deploy(owner, tables)
            with Installed(given, schema, tables) as account:
                yield account
        finally:
            owner.cursor().execute(f"DROP SCHEMA {schema} CASCADE")


def deploy(session: SnowflakeConnection, tables: str) -> None:
    """Run the migrations in the session's schema."""
    for statement in deployed(tables):
        # Search optimisation is not part of every edition, and the store works without it.
        with suppress(ProgrammingError) if "ADD SEARCH OPTIMIZATION" in statement else ExitStack():
            session.cursor().execute(statement)


def deployed(tables: str) -> list[str]:
    """Return the statements of the migrations that stay within a schema and start nothing."""
    found = [each for path in shipped(tables) for each in statements(path.read_text(encoding="utf-8"))]
    return [each for each in found if not each.startswith(NOT_DEPLOYED)]


def shipped(tables: str) -> list[Path]:
    """Return the migrations, in their order."""
    if tables not in ("standard", "hybrid"):
        raise ValueError(f"SNOWFLAKE_TABLES is {tables!r}: expected standard or hybrid")
    return [*forward(STANDARD), *(forward(HYBRID) if tables == "hybrid" else [])]


def rows(session: SnowflakeConnection, statement: str, *parameters: Any) -> list[dict[str, Any]]:
    """Run a statement and return its rows, by the names of their columns."""
    with session.cursor() as cursor:
        cursor.execute(statement, parameters)
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
