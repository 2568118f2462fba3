"""yoyo with its own Snowflake backend, on a bench: only the driver's connect is put in place."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import snowflake.connector
import sqlglot
from shipped import BOOKS, STANDARD, forward, statements
from snowflake.connector.errors import ProgrammingError
from sqlglot import exp
from sqlglot.optimizer.normalize_identifiers import normalize_identifiers
from yoyo import get_backend, read_migrations

from bench import Bench, BenchConnection, BenchCursor

URL = "snowflake://deployer:secret@org-account/RUNSTORE_DB/RUNSTORE?warehouse=DEPLOY&role=RUNSTORE_OWNER"


class Died(BaseException):
    """The deploying process ends here; nothing of it runs on."""


class Deployer:
    """A process that deploys with yoyo onto a bench.

    Where a test says so, it dies before the first statement that a pattern finds, or the account refuses that one.
    """

    def __init__(self, bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
        self.bench = bench
        self.connected: list[dict[str, Any]] = []
        self.dies_before: str | None = None
        self.refuses: str | None = None
        self.is_dead = False
        self._columns: dict[str, set[str]] = {}
        monkeypatch.setattr(snowflake.connector, "connect", self._connect)

    def prepare(self) -> None:
        """Make yoyo's tables, as a DBA does before the first migration."""
        with self.backend_connection() as connection:
            for statement in statements(BOOKS.read_text()):
                connection.cursor().execute(statement)

    def prepare_with_standard(self) -> None:
        """Make a store as the standard migrations make it, and enter them into the books, without taking their time."""
        for path in forward(STANDARD):
            self.bench.script(path.read_text())
        with get_backend(URL) as backend:
            backend.mark_migrations(_read((STANDARD,)))

    def apply(self, *directories: Path) -> list[str]:
        """Apply what is pending, as `yoyo apply` does, and return its names."""
        with get_backend(URL) as backend, backend.lock():
            pending = backend.to_apply(_read(directories))
            backend.apply_migrations(pending)
            return [migration.id for migration in pending]

    def rollback(self, *directories: Path, only: Path | None = None) -> list[str]:
        """Roll back all that is applied, or what is of one directory, as `yoyo rollback` does; return its names."""
        with get_backend(URL) as backend, backend.lock():
            applied = backend.to_rollback(_read(directories))
            if only is not None:
                applied = applied.filter(lambda migration: Path(migration.path).parent == only)
            backend.rollback_migrations(applied)
            return [migration.id for migration in applied]

    def dies_applying(self, dies_before: str, *directories: Path) -> None:
        """Apply, but die before the first statement that the pattern finds."""
        self.dies_before = dies_before
        with pytest.raises(Died):
            self.apply(*directories)
        assert self.is_dead

    def revive(self) -> None:
        """Start another process, after somebody has looked and broken the lock that the dead one left."""
        self.dies_before, self.is_dead = None, False
        with get_backend(URL) as backend:
            backend.break_lock()

    def forget(self) -> None:
        """Empty the books, as if nothing had been applied."""
        self.bench.execute('DELETE FROM "_yoyo_migration"')

    def backend_connection(self) -> "_Connection":
        """Open a connection as the driver would."""
        return _Connection(self, self.bench.connection(paramstyle="pyformat"))

    def _connect(self, **parameters: Any) -> "_Connection":
        self.connected.append(parameters)
        return self.backend_connection()

    def _sending(self, statement: str) -> None:
        if self.is_dead or (self.dies_before is not None and re.search(self.dies_before, statement)):
            self.is_dead = True
            raise Died
        if self.refuses is not None and re.search(self.refuses, statement):
            raise ProgrammingError("Unsupported feature 'it'.", errno=2)
        self._check_case(statement)

    def _check_case(self, statement: str) -> None:
        """Hold yoyo's own statements to the case of names, which counts on an account and not on the bench."""
        if "yoyo_" not in statement:
            return
        text = re.sub(r"%\(\w+\)s", "NULL", statement)
        tree = normalize_identifiers(sqlglot.parse_one(text, read="snowflake"), dialect="snowflake")
        table = tree.find(exp.Table)
        assert table is not None
        if isinstance(tree, exp.Create):
            self._columns.setdefault(table.name, {column.name for column in tree.find_all(exp.ColumnDef)})
        elif isinstance(tree, exp.Drop):
            self._columns.pop(table.name, None)
        else:
            named = {column.name for column in tree.find_all(exp.Column)}
            if isinstance(tree, exp.Insert) and isinstance(tree.this, exp.Schema):
                named = {column.name for column in tree.this.expressions}
            for name in sorted(named - self._columns.get(table.name, named)):
                raise ProgrammingError(f"SQL compilation error: invalid identifier '\"{name}\"'", errno=904)


class _Connection:
    """What yoyo uses of a connection."""

    def __init__(self, deployer: Deployer, inner: BenchConnection) -> None:
        self._deployer = deployer
        self._inner = inner

    def cursor(self) -> "_Cursor":
        return _Cursor(self._deployer, self._inner.cursor())

    def commit(self) -> None:
        self.cursor().execute("COMMIT")

    def rollback(self) -> None:
        self.cursor().execute("ROLLBACK")

    def close(self) -> None:
        self._inner.close()

    def __enter__(self) -> "_Connection":
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()


class _Cursor:
    """What yoyo uses of a cursor."""

    def __init__(self, deployer: Deployer, inner: BenchCursor) -> None:
        self._deployer = deployer
        self._inner = inner

    def execute(self, statement: str, parameters: Mapping[str, Any] | None = None) -> "_Cursor":
        self._deployer._sending(statement)
        # The bench takes keys as constraints of the table only; yoyo also writes them with the column.
        self._inner.execute(re.sub(r"(?<=[A-Z)]) PRIMARY KEY\b(?=[,)])", "", statement), parameters)
        return self

    @property
    def description(self) -> Any:
        return self._inner.description

    def fetchone(self) -> Any:
        return self._inner.fetchone()

    def fetchall(self) -> Any:
        return self._inner.fetchall()

    def close(self) -> None:
        self._inner.close()


def _read(directories: tuple[Path, ...]) -> Any:
    return read_migrations(*(str(directory) for directory in directories or (STANDARD,)))
