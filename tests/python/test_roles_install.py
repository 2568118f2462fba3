"""Who can install, what a rollback does to roles that belong to the whole cluster, and what a plain login can do."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from appends import append, append_batch, append_named, event, together
from checker import check_log
from frozen import ROOT
from psycopg import sql
from runstore import migrate
from runstore.embedded import Server, find_psql
from support import run_sql

ROLES = ["runstore_reader", "runstore_writer", "runstore_worker", "runstore_admin"]
LOGINS = ["installer", "app", "stranger"]
INSTALL = ROOT / "sql" / "postgres" / "install.sql"

# Whoever runs into one of these gets an error.
TRAPS = [
    "create function trap.caught() returns text language plpgsql as $$ begin raise 'caught'; end $$",
    "create function trap.clock_timestamp() returns timestamptz return trap.caught()::timestamptz",
    "create function trap.length(text) returns int return trap.caught()::int",
    "create function trap.concat(variadic text[]) returns text return trap.caught()",
    "create function trap.equal(text, text) returns boolean return trap.caught()::boolean",
    "create operator trap.= (leftarg = text, rightarg = text, function = trap.equal)",
    "create operator trap.<> (leftarg = text, rightarg = text, function = trap.equal)",
    "create temporary table run_events (run_id text)",
    "create temporary table config (max_payload_bytes int)",
    "create domain trap.text as int",
    "set search_path = trap, pg_temp, pg_catalog",
]


@pytest.fixture(scope="module")
def own(pg_bin: str | None) -> Iterator[Server]:
    """A server of this module's own: roles belong to all databases of a server."""
    with Server.temporary(pg_bin=pg_bin) as server:
        server.start()
        yield server


@pytest.fixture
def cluster(own: Server) -> Iterator[Server]:
    """The server, with two empty databases in which nobody may create in public, and three plain logins."""
    for name in ("store", "store_2"):
        run_sql(own, sql.SQL("create database {}").format(sql.Identifier(name)))
        _execute(own.dsn(name), "revoke create on schema public from public")
    for login in LOGINS:
        run_sql(own, sql.SQL("create role {} login").format(sql.Identifier(login)))
    yield own
    for name in ("store", "store_2"):
        run_sql(own, sql.SQL("drop database {} with (force)").format(sql.Identifier(name)))
    for role in [*ROLES, *LOGINS]:
        run_sql(own, sql.SQL("drop role if exists {}").format(sql.Identifier(role)))
    assert _roles(own) == []


@pytest.fixture(params=["createrole", "roles_made_beforehand"])
def installer(request: pytest.FixtureRequest, cluster: Server) -> str:
    """A login that may create in the database and can have the roles in one way or the other: its DSN."""
    _execute(cluster.dsn(), "grant create on database store to installer")
    if request.param == "createrole":
        _execute(cluster.dsn(), "alter role installer createrole")
    else:
        for role in ROLES:
            run_sql(cluster, sql.SQL("create role {} nologin").format(sql.Identifier(role)))
    return cluster.dsn("store", user="installer")


def test_a_plain_login_can_install_and_roll_back(cluster: Server, installer: str) -> None:
    names = migrate.apply(installer)
    _grant(cluster, "app", "runstore_writer", "runstore_reader")
    _use_as_plain_login(cluster)
    assert migrate.rollback(installer, "all") == names[::-1]
    assert _schemas(cluster.dsn("store")) == ["public", "runstore_migrations"]
    assert migrate.apply(installer) == names
    _use_as_plain_login(cluster)


def test_a_plain_login_can_install_from_sql(cluster: Server, installer: str) -> None:
    _psql(cluster, installer, INSTALL)
    _grant(cluster, "app", "runstore_writer", "runstore_reader")
    _use_as_plain_login(cluster)


def test_the_roles_of_a_plain_installer_with_createrole_go_with_its_store(cluster: Server) -> None:
    _execute(cluster.dsn(), "grant create on database store to installer", "alter role installer createrole")
    migrate.apply(cluster.dsn("store", user="installer"))
    assert _roles(cluster) == sorted(ROLES)
    migrate.rollback(cluster.dsn("store", user="installer"), "all")
    assert _roles(cluster) == []


def test_an_installer_with_createrole_can_grant_what_it_installed(cluster: Server) -> None:
    _execute(cluster.dsn(), "grant create on database store to installer", "alter role installer createrole")
    installer = cluster.dsn("store", user="installer")
    migrate.apply(installer)
    _execute(installer, "grant runstore_writer, runstore_reader to app")
    _use_as_plain_login(cluster)


def test_an_installer_with_neither_right_fails_and_leaves_nothing(cluster: Server) -> None:
    _execute(cluster.dsn(), "grant create on database store to installer")
    with pytest.raises(migrate.MigrationError, match="was not applied: 42501"):
        migrate.apply(cluster.dsn("store", user="installer"))
    assert _schemas(cluster.dsn("store")) == ["public", "runstore_migrations"]
    assert _roles(cluster) == []


def test_the_roles_are_gone_after_a_full_rollback(cluster: Server) -> None:
    migrate.apply(cluster.dsn("store"))
    assert _roles(cluster) == sorted(ROLES)
    migrate.rollback(cluster.dsn("store"), "all")
    assert _roles(cluster) == []


def test_a_rollback_leaves_the_store_of_another_database_working(cluster: Server) -> None:
    migrate.apply(cluster.dsn("store"))
    migrate.apply(cluster.dsn("store_2"))
    _grant(cluster, "app", "runstore_writer", "runstore_reader")
    migrate.rollback(cluster.dsn("store_2"), "all")
    assert _roles(cluster) == sorted(ROLES)
    _use_as_plain_login(cluster)


def test_the_roles_stay_as_long_as_any_database_uses_them_and_no_longer(cluster: Server) -> None:
    migrate.apply(cluster.dsn("store"))
    migrate.apply(cluster.dsn("store_2"))
    migrate.rollback(cluster.dsn("store"), "all")
    assert _roles(cluster) == sorted(ROLES)
    with psycopg.connect(cluster.dsn("store_2"), autocommit=True) as connection:
        connection.execute("set role runstore_writer")
        assert append(connection, event("run", "a")).run_seq == 1
    migrate.rollback(cluster.dsn("store_2"), "all")
    assert _roles(cluster) == []


def test_two_databases_of_a_cluster_can_install_at_once(cluster: Server) -> None:
    databases = ["store", "store_2"]
    applied = together(2, lambda client: [migrate.apply(cluster.dsn(databases[client]))])
    assert applied[0] == applied[1] != []
    assert _roles(cluster) == sorted(ROLES)


def test_a_role_with_a_login_as_member_stays(cluster: Server) -> None:
    migrate.apply(cluster.dsn("store"))
    _grant(cluster, "app", "runstore_writer")
    migrate.rollback(cluster.dsn("store"), "all")
    assert _roles(cluster) == ["runstore_writer"]
    migrate.apply(cluster.dsn("store"))
    assert _roles(cluster) == sorted(ROLES)
    with psycopg.connect(cluster.dsn("store", user="app"), autocommit=True) as connection:
        assert append(connection, event("run", "a")).run_seq == 1


def test_a_login_without_a_role_gets_nowhere(cluster: Server) -> None:
    migrate.apply(cluster.dsn("store"))
    with psycopg.connect(cluster.dsn("store", user="stranger"), autocommit=True) as connection:
        for attempt in (
            "select runstore.version()",
            "select runstore.append_events('[]')",
            "select * from runstore.fetch_events('run')",
            "select * from runstore.run_event_records",
            "select * from runstore.run_events",
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(attempt.encode())


def test_a_writer_cannot_read_and_a_reader_cannot_write(cluster: Server) -> None:
    migrate.apply(cluster.dsn("store"))
    _grant(cluster, "app", "runstore_writer")
    _grant(cluster, "stranger", "runstore_reader")
    with psycopg.connect(cluster.dsn("store", user="app"), autocommit=True) as writer:
        assert append(writer, event("run", "a")).run_seq == 1
        for query in ("select * from runstore.fetch_events('run')", "select * from runstore.run_event_records"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                writer.execute(query.encode())
    with psycopg.connect(cluster.dsn("store", user="stranger"), autocommit=True) as reader:
        assert reader.execute("select run_seq from runstore.fetch_events('run')").fetchall() == [(1,)]
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            append(reader, event("run", "b"))


def test_objects_that_a_login_plants_do_not_change_what_the_store_does(cluster: Server) -> None:
    """A login that can create functions, tables and types of its own puts them in the way of every name."""
    migrate.apply(cluster.dsn("store"))
    _grant(cluster, "app", "runstore_writer", "runstore_reader")
    _execute(cluster.dsn("store"), "create schema trap authorization app")
    with psycopg.connect(cluster.dsn("store", user="app"), autocommit=True) as connection:
        for planted in TRAPS:
            connection.execute(planted.encode())
        sent = [event("run", "a"), event("run", "b"), event("run", "c")]
        answers = [append(connection, sent[0]), append_named(connection, sent[1])]
        answers += append_batch(connection, sent[2:])
        assert [answer.run_seq for answer in answers] == [1, 2, 3]
        assert connection.execute("select run_seq from runstore.fetch_events('run')").fetchall() == [(1,), (2,), (3,)]
        assert connection.execute("select count(*) from runstore.run_event_records").fetchone() == (3,)


def _use_as_plain_login(cluster: Server) -> None:
    """Append in every form and read, as a login that has the two roles and nothing else."""
    with psycopg.connect(cluster.dsn("store", user="app"), autocommit=True) as connection:
        sent = [event("run", "a"), event("run", "b"), event("run", "c"), event("other", "c")]
        answers = [append(connection, sent[0]), append_named(connection, sent[1]), *append_batch(connection, sent[2:])]
        assert [answer.run_seq for answer in answers] == [1, 2, 3, 1]
        assert append(connection, sent[0]).idempotent
        assert append(connection, event("run", "a", payload={"differs": True})).idempotent
        assert connection.execute("select run_seq from runstore.fetch_events('run')").fetchall() == [(1,), (2,), (3,)]
        assert connection.execute("select count from runstore.alerts").fetchall() == [(1,)]
        with pytest.raises(psycopg.Error) as refusal:
            append(connection, event("run", ""))
        assert refusal.value.sqlstate == "RS001"
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("create table public.mine ()")
    with psycopg.connect(cluster.dsn("store"), autocommit=True) as connection:
        check_log(connection, list(zip(sent, answers, strict=True)))


def _grant(server: Server, login: str, *roles: str) -> None:
    for role in roles:
        run_sql(server, sql.SQL("grant {} to {}").format(sql.Identifier(role), sql.Identifier(login)))


def _execute(dsn: str, *statements: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement.encode())


def _roles(server: Server) -> list[str]:
    with psycopg.connect(server.dsn(), autocommit=True) as connection:
        rows = connection.execute("select rolname from pg_roles where rolname like 'runstore%' order by 1")
        return [name for (name,) in rows]


def _schemas(dsn: str) -> list[str]:
    with psycopg.connect(dsn, autocommit=True) as connection:
        rows = connection.execute(
            "select nspname from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema' order by 1"
        )
        return [name for (name,) in rows]


def _psql(server: Server, dsn: str, script: Path) -> None:
    psql = [str(find_psql(server.bin_dir)), "--no-psqlrc", "--quiet", "--file", str(script), dsn]
    done = subprocess.run(psql, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
