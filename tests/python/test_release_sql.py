"""SQL for DBAs who run it themselves: what psql makes of it is what runstore migrate makes."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from catalog import Catalog, catalog
from psycopg import sql
from runstore import __version__, migrate, script
from runstore.embedded import Server, find_psql
from support import cloned, run_sql
from terminal import run

ROLES = ["runstore_reader", "runstore_writer", "runstore_worker", "runstore_admin"]


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of this version, as make dist writes it."""
    return script.write_release(tmp_path_factory.mktemp("dist"))


@pytest.fixture(scope="module")
def migrated(server: Server, template: str) -> tuple[Catalog, list[Any]]:
    """What the migrations make of a database: its catalog, and its books."""
    with cloned(server, template) as name:
        return _catalog(server.dsn(name)), _books(server.dsn(name))


@pytest.fixture(scope="module")
def own(pg_bin: str | None) -> Iterator[Server]:
    """A server of this module's own, without the roles."""
    with Server.temporary(pg_bin=pg_bin) as server:
        server.start()
        yield server


@pytest.fixture(params=["createrole", "roles_made_beforehand"])
def installer(request: pytest.FixtureRequest, own: Server) -> Iterator[str]:
    """A login that may create in a database, and can have the roles in one way or the other: its DSN."""
    rights = sql.SQL("createrole" if request.param == "createrole" else "nocreaterole")
    run_sql(own, sql.SQL("create role installer login {}").format(rights))
    if request.param == "roles_made_beforehand":
        for role in ROLES:
            run_sql(own, sql.SQL("create role {} nologin").format(sql.Identifier(role)))
    with cloned(own, "template1") as name:
        run_sql(own, sql.SQL("grant create on database {} to installer").format(sql.Identifier(name)))
        with psycopg.connect(own.dsn(name), autocommit=True) as connection:
            connection.execute("revoke create on schema public from public")
        yield own.dsn(name, user="installer")
    for role in [*ROLES, "installer"]:
        run_sql(own, sql.SQL("drop role if exists {}").format(sql.Identifier(role)))


def test_the_file_is_named_after_the_version(release: Path) -> None:
    assert release.name == f"runstore-{__version__}.sql"


def test_the_file_builds_what_the_migrations_build(
    server: Server, empty_dsn: str, release: Path, migrated: tuple[Catalog, list[Any]]
) -> None:
    assert _psql(server, empty_dsn, release) == (0, "")
    assert (_catalog(empty_dsn), _books(empty_dsn)) == migrated


def test_migrate_goes_on_after_the_file(server: Server, empty_dsn: str, release: Path) -> None:
    _psql(server, empty_dsn, release)
    assert all(entry.applied for entry in migrate.status(empty_dsn))
    assert run(empty_dsn, "migrate").stdout == "nothing to apply: the schema is current\n"
    names = migrate.names()
    assert migrate.rollback(empty_dsn, "all") == names[::-1]
    assert _psql(server, empty_dsn, release) == (0, "")


def test_a_database_that_has_a_store_is_left_as_it_is(server: Server, dsn: str, release: Path) -> None:
    before = _catalog(dsn), _books(dsn)
    code, error = _psql(server, dsn, release)
    assert code == 3
    assert 'schema "runstore" already exists' in error
    assert (_catalog(dsn), _books(dsn)) == before


def test_a_file_that_fails_leaves_nothing(server: Server, empty_dsn: str, release: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.sql"
    broken.write_text(release.read_text().replace("\ncommit;\n", "\nselect 1 / 0;\ncommit;\n"))
    code, error = _psql(server, empty_dsn, broken)
    assert code == 3
    assert "division by zero" in error
    with psycopg.connect(empty_dsn) as connection:
        found = connection.execute("select count(*) from pg_namespace where nspname like 'runstore%'").fetchone()
    assert found == (0,)


def test_the_session_of_the_person_who_runs_it_does_not_matter(
    server: Server, empty_dsn: str, release: Path, migrated: tuple[Catalog, list[Any]]
) -> None:
    with psycopg.connect(empty_dsn, autocommit=True) as connection:
        connection.execute("create schema trap")
        connection.execute("create function trap.clock_timestamp() returns timestamptz return null::timestamptz")
        connection.execute("create domain trap.text as int")
        options = "-c search_path=trap,pg_catalog -c client_encoding=latin1 -c standard_conforming_strings=off"
    assert _psql(server, f"{empty_dsn} options='{options}'", release) == (0, "")
    with psycopg.connect(empty_dsn, autocommit=True) as connection:
        connection.execute("drop schema trap cascade")
    assert (_catalog(empty_dsn), _books(empty_dsn)) == migrated


def test_a_role_that_is_no_superuser_can_run_it(
    own: Server, installer: str, release: Path, migrated: tuple[Catalog, list[Any]]
) -> None:
    """As on managed services; the catalog is the same but for the owner."""
    assert _psql(own, installer, release) == (0, "")
    found = json.dumps([_catalog(installer), _books(installer)]).replace("installer", "postgres")
    assert json.loads(found) == json.loads(json.dumps(migrated))
    assert migrate.apply(installer) == []
    assert migrate.rollback(installer, "all") == migrate.names()[::-1]


def test_a_dry_run_executes_nothing_and_prints_what_psql_can_run(
    server: Server, empty_dsn: str, migrated: tuple[Catalog, list[Any]], tmp_path: Path
) -> None:
    before = _catalog(empty_dsn)
    printed = run(empty_dsn, "migrate", "--dry-run")
    assert (printed.returncode, printed.stderr) == (0, "")
    assert _catalog(empty_dsn) == before
    names = migrate.names()
    headers = [line for line in printed.stdout.splitlines() if line.startswith("-- ---- ")]
    assert headers == [f"-- ---- {name}.sql" for name in names]
    path = tmp_path / "upgrade.sql"
    path.write_text(printed.stdout)
    assert _psql(server, empty_dsn, path) == (0, "")
    assert (_catalog(empty_dsn), _books(empty_dsn)) == migrated
    again = run(empty_dsn, "migrate", "apply", "--dry-run")
    assert again.stdout == "-- nothing to apply: the schema is current\n"


def test_a_dry_run_prints_what_is_pending_and_nothing_else(
    server: Server, dsn: str, migrated: tuple[Catalog, list[Any]], tmp_path: Path
) -> None:
    names = migrate.names()
    migrate.rollback(dsn, 2)
    path = tmp_path / "upgrade.sql"
    path.write_text(run(dsn, "migrate", "--dry-run").stdout)
    headers = [line for line in path.read_text().splitlines() if line.startswith("-- ---- ")]
    assert headers == [f"-- ---- {name}.sql" for name in names[-2:]]
    assert _psql(server, dsn, path) == (0, "")
    assert _catalog(dsn) == migrated[0]
    assert migrate.apply(dsn) == []


def test_a_dry_run_of_a_rollback_prints_what_psql_can_run(server: Server, dsn: str, tmp_path: Path) -> None:
    names = migrate.names()
    path = tmp_path / "rollback.sql"
    path.write_text(run(dsn, "migrate", "rollback", "--dry-run", "--count", "2").stdout)
    assert all(entry.applied for entry in migrate.status(dsn))
    assert _psql(server, dsn, path) == (0, "")
    assert [entry.name for entry in migrate.status(dsn) if not entry.applied] == names[-2:]
    rolled_back = _catalog(dsn)
    assert migrate.apply(dsn) == names[-2:]
    migrate.rollback(dsn, 2)
    assert _catalog(dsn) == rolled_back


def _psql(server: Server, dsn: str, path: Path) -> tuple[int, str]:
    psql = [str(find_psql(server.bin_dir)), "--no-psqlrc", "--quiet", "--file", str(path), dsn]
    done = subprocess.run(psql, capture_output=True, text=True, timeout=120, check=False)
    return done.returncode, done.stderr


def _catalog(dsn: str) -> Catalog:
    with psycopg.connect(dsn, autocommit=True) as connection:
        return catalog(connection)


def _books(dsn: str) -> list[Any]:
    """Return how yoyo's tables look, and what they say, without times and ids."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        queries = (
            "select table_name, column_name, ordinal_position, data_type, character_maximum_length, is_nullable, "
            "column_default from information_schema.columns where table_schema = 'runstore_migrations' order by 1, 3",
            "select conname, pg_get_constraintdef(oid) from pg_constraint "
            "where connamespace = 'runstore_migrations'::regnamespace and contype = 'p' order by 1",
            "select migration_hash, migration_id from runstore_migrations._yoyo_migration order by 2",
            "select migration_hash, migration_id, operation from runstore_migrations._yoyo_log order by 2",
            "select version from runstore_migrations._yoyo_version",
            "select * from runstore_migrations.yoyo_lock",
        )
        return [connection.execute(query.encode()).fetchall() for query in queries]
