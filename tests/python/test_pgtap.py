"""Run every file of tests/pgtap with psql; the test's id is the file's path."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from pgtap import ROOT, parse_tap, pgtap_sql
from runstore.embedded import Server, find_psql
from support import cloned

DIRECTORY = ROOT / "tests" / "pgtap"
FILES = sorted(path for path in DIRECTORY.rglob("*.sql") if not path.parent.name.startswith("_"))


@pytest.fixture(scope="session")
def tap_template(server: Server, template: str) -> Iterator[str]:
    """A database with all migrations, and pgTAP in the schema tap."""
    with cloned(server, template) as name:
        with psycopg.connect(server.dsn(name), autocommit=True) as connection:
            connection.execute("create schema tap")
            connection.execute("set search_path = tap")
            connection.execute("set client_min_messages = warning")
            connection.execute(pgtap_sql(server.bin_dir).encode())
        yield name


@pytest.fixture(scope="session")
def shared_database(server: Server, tap_template: str) -> Iterator[str]:
    """The database for files that roll back what they do."""
    with cloned(server, tap_template) as name:
        yield name


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(DIRECTORY).with_suffix("")))
def test_pgtap(path: Path, server: Server, tap_template: str, shared_database: str) -> None:
    with _database(path, server, tap_template, shared_database) as name:
        done = _psql(server, name, path)
    problems = parse_tap(done.stdout).problems()
    if done.returncode != 0:
        problems.insert(0, f"psql ended with {done.returncode}")
    if problems:
        pytest.fail("\n".join([*problems, "", done.stdout, done.stderr]), pytrace=False)


@contextmanager
def _database(path: Path, server: Server, tap_template: str, shared: str) -> Iterator[str]:
    if _wants_own_database(path):
        with cloned(server, tap_template) as name:
            yield name
    else:
        yield shared


def _wants_own_database(path: Path) -> bool:
    """Whether the comment at the file's top says so: for what a transaction's end would not undo."""
    for line in path.read_text().splitlines():
        if not line.startswith("--"):
            return False
        if line.strip() == "-- own database":
            return True
    return False


def _psql(server: Server, database: str, path: Path) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
    environment["PGOPTIONS"] = "-c search_path=tap,public"
    psql = str(find_psql(server.bin_dir))
    command = [psql, "-XqAt", "-v", "ON_ERROR_STOP=1", "-d", server.dsn(database), "-f", str(path)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)
