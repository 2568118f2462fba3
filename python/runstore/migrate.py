"""Bring a database to the schema that this package carries, with yoyo as a library.

yoyo keeps its books in the schema runstore_migrations, so that nothing has to be created in public. Each
migration and its entry in the books are one transaction: a client that dies between the two would otherwise
leave a migration that is applied and not recorded, which no later run could get past.
"""

import platform
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Literal

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict
from yoyo import exceptions, read_migrations
from yoyo.backends.core.postgresql import PostgresqlPsycopgBackend
from yoyo.connections import DatabaseURI
from yoyo.migrations import Migration, default_migration_table, topological_sort

from runstore._data import migrations_dir

SCHEMA = "runstore_migrations"
STRANGERS = (
    "the database has migrations that this version of runstore does not carry: "
    "roll back with the version that applied them (runstore migrate status shows them)"
)
_LOCK_TIMEOUT = 10.0


class MigrationError(RuntimeError):
    """Migrating failed; the message says at which migration and what to do."""


@dataclass(frozen=True)
class MigrationStatus:
    """One migration as the package and the database know it."""

    name: str
    applied_at: datetime | None
    carried: bool

    @property
    def applied(self) -> bool:
        """Whether the database has it."""
        return self.applied_at is not None


def apply(dsn: str, directory: Path | None = None) -> list[str]:
    """Apply what the database lacks, in order, and return the names of what was applied."""
    migrations = _read(directory)
    with _locked(dsn) as backend:
        done = set(backend.get_applied_migration_hashes())
        pending = [migration for migration in migrations if migration.hash not in done]
        for migration in pending:
            _run(backend.apply_one, migration, "applied")
        return [migration.id for migration in pending]


def rollback(dsn: str, count: int | Literal["all"] = 1, directory: Path | None = None) -> list[str]:
    """Undo the last count migrations, the newest first, and return their names."""
    migrations = _read(directory)
    with _locked(dsn) as backend:
        done = set(backend.get_applied_migration_hashes())
        strangers = done - {migration.hash for migration in migrations}
        if strangers:
            raise MigrationError(STRANGERS)
        chosen = [migration for migration in reversed(migrations) if migration.hash in done]
        if count != "all":
            chosen = chosen[:count]
        for migration in chosen:
            _run(backend.rollback_one, migration, "rolled back")
        return [migration.id for migration in chosen]


def status(dsn: str, directory: Path | None = None) -> list[MigrationStatus]:
    """Say for every migration whether it is applied; changes nothing."""
    applied = _applied(dsn)
    carried = [migration.id for migration in _read(directory)]
    strangers = [name for name in applied if name not in carried]
    return [
        *(MigrationStatus(name, applied.get(name), True) for name in carried),
        *(MigrationStatus(name, applied[name], False) for name in strangers),
    ]


def names(directory: Path | None = None) -> list[str]:
    """Return the names of the migrations that this package carries, in order."""
    return [migration.id for migration in _read(directory)]


def break_lock(dsn: str) -> None:
    """Remove the lock of a migration that was killed."""
    with _backend(dsn) as backend:
        backend.break_lock()


class _Backend(PostgresqlPsycopgBackend):  # type: ignore[misc]  # yoyo has no types
    """yoyo's backend, with a migration and its record in one transaction."""

    def apply_one(self, migration: Migration, force: bool = False, mark: bool = True) -> None:
        """Apply one migration and record it."""
        with self._transaction_of(migration, "apply") as backend:
            backend.mark_one(migration, log=False)

    def rollback_one(self, migration: Migration, force: bool = False) -> None:
        """Undo one migration and strike it from the record."""
        with self._transaction_of(migration, "rollback") as backend:
            backend.unmark_one(migration, log=False)

    def get_log_data(self, migration: Migration | None = None, operation: str = "apply") -> dict[str, Any]:
        """Return a row of yoyo's log, without asking the operating system's user or the name service.

        Either can be missing or slow; the database login says more.
        """
        return {
            "id": str(uuid.uuid4()),
            "migration_id": migration.id if migration else None,
            "migration_hash": migration.hash if migration else None,
            "username": self.connection.info.user,
            "hostname": platform.node(),
            "created_at_utc": datetime.now(timezone.utc).replace(tzinfo=None),
            "operation": operation,
        }

    @contextmanager
    def _transaction_of(self, migration: Migration, direction: str) -> Iterator["_Backend"]:
        """Run the migration's statements, and leave the transaction open for its record.

        A migration that asks for no transaction has its statements run before: only its record is in one.
        """
        migration.load()
        with self.copy() as backend:
            if not migration.use_transactions:
                migration.process_steps(backend, direction)
            with backend.transaction():
                if migration.use_transactions:
                    migration.process_steps(backend, direction)
                backend.log_migration(migration, direction)
                yield backend


def _read(directory: Path | None) -> list[Migration]:
    source = directory or migrations_dir()
    try:
        migrations = list(topological_sort(read_migrations(str(source).replace("[", "[[]"))))
    except exceptions.BadMigration as error:
        raise MigrationError(f"a migration cannot be read: {error}") from error
    if not migrations:
        raise MigrationError(f"there are no migrations in {source}")
    return migrations


@contextmanager
def _backend(dsn: str) -> Iterator[_Backend]:
    parameters = conninfo_to_dict(dsn)
    parameters.setdefault("application_name", "runstore migrate")
    _ensure_schema(parameters)
    # The parts are handed over as they are: written into a URI, yoyo would not get socket directories, several
    # hosts or unusual characters back out of it.
    uri = DatabaseURI(
        scheme="postgresql+psycopg",
        username=None,
        password=None,
        hostname=None,
        port=None,
        database=parameters.pop("dbname", None),
        args={**parameters, "schema": SCHEMA},
    )
    with _Backend(uri, default_migration_table) as backend:
        backend.create_lock_table()
        yield backend


@contextmanager
def _locked(dsn: str) -> Iterator[_Backend]:
    with _backend(dsn) as backend:
        try:
            with backend.lock(timeout=_LOCK_TIMEOUT):
                backend.ensure_internal_schema_updated()
                yield backend
        except exceptions.LockTimeout:
            raise MigrationError(
                "the database is locked by a migration that is running, or that was killed; "
                "if none is running, remove the lock with: runstore migrate break-lock"
            ) from None


def _ensure_schema(parameters: dict[str, Any]) -> None:
    """Create the schema of yoyo's tables; asked first, because creating it again needs the right to create."""
    with psycopg.connect(**parameters, autocommit=True) as connection:
        if connection.execute("select to_regnamespace(%s)", [SCHEMA]).fetchone() == (None,):
            statement = sql.SQL("create schema if not exists {}").format(sql.Identifier(SCHEMA))
            # Two that start at the same moment can both find it missing.
            with suppress(psycopg.errors.UniqueViolation):
                connection.execute(statement)


def _applied(dsn: str) -> dict[str, datetime]:
    with psycopg.connect(dsn, autocommit=True) as connection:
        table = sql.Identifier(SCHEMA, default_migration_table)
        if connection.execute("select to_regclass(%s)", [table.as_string(connection)]).fetchone() == (None,):
            return {}
        query = sql.SQL("select migration_id, applied_at_utc from {} order by 2, 1").format(table)
        return {name: at.replace(tzinfo=timezone.utc) for name, at in connection.execute(query)}


def _run(action: Callable[[Migration], None], migration: Migration, what: str) -> None:
    try:
        action(migration)
    except exceptions.BadMigration as error:
        raise MigrationError(f"migration {migration.id} cannot be read: {error}") from error
    except psycopg.Error as error:
        raise MigrationError(
            f"migration {migration.id} was not {what}: {error.sqlstate or 'connection'}: {error}"
        ) from error
