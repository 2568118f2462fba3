"""The server that is measured, and its databases."""

import os
import statistics
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Any

import psycopg
from psycopg import sql
from runstore import migrate
from runstore.embedded import Server
from statements import floor_tables

Connection = psycopg.Connection[tuple[Any, ...]]

# As PostgreSQL ships, but for a cache that holds the working set, and no checkpoint by time or volume: one in the
# middle of a measurement would burden whichever side is running.
SETTINGS = {"shared_buffers": "1GB", "max_wal_size": "16GB", "checkpoint_timeout": "1h"}

EMPTY = "bench_empty"


class Lab:
    """One server for the whole benchmark, and a database with the schema and the floor's tables to copy."""

    def __init__(self, pg_bin: str | None = None) -> None:
        self.server = Server.temporary(pg_bin=pg_bin, settings=SETTINGS)
        self._scratch = tempfile.TemporaryDirectory(prefix="runstore-bench-")
        self.scratch = Path(self._scratch.name)

    def __enter__(self) -> "Lab":
        try:
            self.server.start()
            self.create(EMPTY, template="template1")
            migrate.apply(self.server.dsn(EMPTY))
            with self.connect(EMPTY) as connection:
                for statement in floor_tables():
                    connection.execute(statement)
        except BaseException:
            self.server.destroy()
            raise
        return self

    def __exit__(
        self, exc_type: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._scratch.cleanup()
        self.server.destroy()

    def connect(self, database: str = "postgres", **settings: str) -> Connection:
        """Open a connection that prepares every statement, with these settings."""
        return psycopg.connect(self.dsn(database, **settings), autocommit=True, prepare_threshold=0)

    def dsn(self, database: str, **settings: str) -> str:
        """Return connection parameters, with these settings of the session."""
        options = " ".join(f"-c {name}={value}" for name, value in settings.items())
        return self.server.dsn(database, **({"options": options} if options else {}))

    def create(self, database: str, template: str = EMPTY) -> None:
        """Make a copy of a database, in place of any that has its name."""
        self.drop(database)
        names = {"name": sql.Identifier(database), "template": sql.Identifier(template)}
        with self.connect() as connection:
            connection.execute(sql.SQL("create database {name} template {template}").format(**names))

    def drop(self, database: str) -> None:
        """Remove a database if it is there; the server writes a checkpoint for it."""
        with self.connect() as connection:
            connection.execute(sql.SQL("drop database if exists {} with (force)").format(sql.Identifier(database)))

    def describe(self) -> dict[str, Any]:
        """Say what was measured on, as far as it matters to the figures."""
        with self.connect() as connection:
            version = str(connection.info.parameter_status("server_version")).split()[0]
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
        return {
            "cores": os.cpu_count(),
            "memory_gb": round(memory),
            "postgresql": version,
            "flush_ms": round(self._flush_seconds() * 1000, 3),
        }

    def _flush_seconds(self) -> float:
        """Return how long the file system of the data takes to make 8 kB durable, the median."""
        samples = []
        path = self.server.home / "flush"
        with path.open("wb", buffering=0) as file:
            file.write(bytes(2**20))
            os.fsync(file.fileno())
            deadline = time.monotonic() + 1
            while time.monotonic() < deadline:
                file.seek(0)
                began = time.perf_counter()
                file.write(bytes(8192))
                os.fdatasync(file.fileno())
                samples.append(time.perf_counter() - began)
        path.unlink()
        return statistics.median(samples)
