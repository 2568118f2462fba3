"""Migrations: what is applied is recorded, what fails leaves nothing, and any connection string will do."""

import threading
import uuid
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from runstore import migrate
from runstore.embedded import Server
from runstore.migrate import MigrationError

AWKWARD = "p@:/ ?#%20'\"\\é"


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """Two small migrations, in a directory whose name a pattern could misread."""
    path = tmp_path / "mig[1]rations"
    path.mkdir()
    _write(path, "0001.one", "create schema one;\ncreate table one.a (n int);", "drop schema one cascade;")
    _write(path, "0002.two", "-- depends: 0001.one\ncreate table one.b (n int);", "drop table one.b;")
    return path


@pytest.fixture
def login(server: Server, empty_dsn: str) -> Iterator[dict[str, str]]:
    """A login with an awkward name and password that may create in the database and not in public."""
    name = f"user {AWKWARD} {uuid.uuid4().hex}"
    database = sql.Identifier(str(conninfo_to_dict(empty_dsn)["dbname"]))
    names = {"name": sql.Identifier(name), "password": sql.Literal(AWKWARD), "database": database}
    with psycopg.connect(empty_dsn, autocommit=True) as connection:
        connection.execute(sql.SQL("create role {name} login password {password}").format(**names))
        connection.execute(sql.SQL("grant create on database {database} to {name}").format(**names))
        connection.execute("revoke create on schema public from public")
        yield {"user": name, "password": AWKWARD, "host": "127.0.0.1"}
        connection.execute(sql.SQL("drop owned by {name} cascade").format(**names))
        connection.execute(sql.SQL("drop role {name}").format(**names))


def test_apply_status_and_rollback(empty_dsn: str, directory: Path) -> None:
    assert _applied(empty_dsn, directory) == {"0001.one": False, "0002.two": False}
    assert migrate.apply(empty_dsn, directory) == ["0001.one", "0002.two"]
    assert migrate.apply(empty_dsn, directory) == []
    assert _applied(empty_dsn, directory) == {"0001.one": True, "0002.two": True}
    assert migrate.rollback(empty_dsn, directory=directory) == ["0002.two"]
    assert _applied(empty_dsn, directory) == {"0001.one": True, "0002.two": False}
    assert migrate.apply(empty_dsn, directory) == ["0002.two"]
    assert migrate.rollback(empty_dsn, "all", directory) == ["0002.two", "0001.one"]
    assert _exists(empty_dsn, "one.a") is False


def test_status_writes_nothing(empty_dsn: str, directory: Path) -> None:
    migrate.status(empty_dsn, directory)
    with psycopg.connect(empty_dsn) as connection:
        assert connection.execute("select to_regnamespace(%s)", [migrate.SCHEMA]).fetchone() == (None,)


def test_the_books_are_kept_out_of_public(empty_dsn: str, directory: Path) -> None:
    migrate.apply(empty_dsn, directory)
    with psycopg.connect(empty_dsn) as connection:
        tables = connection.execute("select relname from pg_class where relnamespace = 'public'::regnamespace")
        assert tables.fetchall() == []


def test_a_failing_migration_leaves_nothing_and_is_named(empty_dsn: str, directory: Path) -> None:
    _write(directory, "0003.three", "create table one.c (n int);\nselect 1 / 0;", "drop table one.c;")
    with pytest.raises(MigrationError, match=r"0003\.three was not applied: 22012"):
        migrate.apply(empty_dsn, directory)
    assert _exists(empty_dsn, "one.c") is False
    assert _applied(empty_dsn, directory) == {"0001.one": True, "0002.two": True, "0003.three": False}


def test_a_migration_that_cannot_be_recorded_is_not_applied(empty_dsn: str, directory: Path) -> None:
    migrate.apply(empty_dsn, directory)
    with psycopg.connect(empty_dsn) as connection:
        connection.execute("alter table runstore_migrations._yoyo_migration add check (migration_id <> '0003.three')")
    _write(directory, "0003.three", "create table one.c (n int);", "drop table one.c;")
    with pytest.raises(MigrationError, match=r"0003\.three was not applied: 23514"):
        migrate.apply(empty_dsn, directory)
    assert _exists(empty_dsn, "one.c") is False


def test_a_migration_may_ask_for_no_transaction(empty_dsn: str, directory: Path) -> None:
    text = "-- depends: 0002.two\n-- transactional: false\ncreate index concurrently a_n on one.a (n);"
    _write(directory, "0003.three", text, "drop index one.a_n;")
    assert migrate.apply(empty_dsn, directory)[-1] == "0003.three"
    assert _exists(empty_dsn, "one.a_n") is True
    assert migrate.rollback(empty_dsn, directory=directory) == ["0003.three"]


def test_a_missing_dependency_is_an_error(empty_dsn: str, directory: Path) -> None:
    _write(directory, "0003.three", "-- depends: 0009.nine\nselect 1;", "select 1;")
    with pytest.raises(MigrationError, match="0003"):
        migrate.apply(empty_dsn, directory)


def test_a_directory_without_migrations_is_an_error(empty_dsn: str, tmp_path: Path) -> None:
    with pytest.raises(MigrationError, match="no migrations"):
        migrate.apply(empty_dsn, tmp_path)


def test_what_a_newer_version_applied_is_shown_and_not_rolled_back(empty_dsn: str, directory: Path) -> None:
    migrate.apply(empty_dsn, directory)
    for suffix in (".sql", ".rollback.sql"):
        (directory / f"0002.two{suffix}").unlink()
    last = migrate.status(empty_dsn, directory)[-1]
    assert (last.name, last.applied, last.carried) == ("0002.two", True, False)
    with pytest.raises(MigrationError, match="does not carry"):
        migrate.rollback(empty_dsn, directory=directory)


def test_two_at_once_apply_each_migration_once(empty_dsn: str, directory: Path) -> None:
    results: list[list[str]] = []
    threads = [threading.Thread(target=lambda: results.append(migrate.apply(empty_dsn, directory))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == [[], ["0001.one", "0002.two"]]


def test_a_left_over_lock_is_explained_and_can_be_broken(
    empty_dsn: str, directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    migrate.apply(empty_dsn, directory)
    with psycopg.connect(empty_dsn) as connection:
        connection.execute("insert into runstore_migrations.yoyo_lock (locked, ctime, pid) values (1, now(), 999999)")
    monkeypatch.setattr(migrate, "_LOCK_TIMEOUT", 0.1)
    with pytest.raises(MigrationError, match="runstore migrate break-lock") as refusal:
        migrate.apply(empty_dsn, directory)
    assert "\n" not in str(refusal.value)
    migrate.break_lock(empty_dsn)
    assert migrate.apply(empty_dsn, directory) == []


def test_a_login_without_rights_on_public_can_install(empty_dsn: str, login: dict[str, str], directory: Path) -> None:
    dsn = make_conninfo(empty_dsn, **login)
    assert migrate.apply(dsn, directory) == ["0001.one", "0002.two"]
    assert migrate.rollback(dsn, "all", directory) == ["0002.two", "0001.one"]


def test_a_uri_with_escaped_characters_works(empty_dsn: str, login: dict[str, str], directory: Path) -> None:
    parts = conninfo_to_dict(empty_dsn)
    user, password = (quote(login[name], safe="") for name in ("user", "password"))
    assert migrate.apply(f"postgresql://{user}:{password}@127.0.0.1:{parts['port']}/{parts['dbname']}", directory)


def test_a_uri_with_a_socket_directory_works(empty_dsn: str, directory: Path) -> None:
    parts = conninfo_to_dict(empty_dsn)
    uri = f"postgresql:///{parts['dbname']}?host={parts['host']}&port={parts['port']}&user=postgres"
    assert migrate.apply(uri, directory) == ["0001.one", "0002.two"]


def _write(directory: Path, name: str, up: str, down: str) -> None:
    (directory / f"{name}.sql").write_text(up + "\n")
    (directory / f"{name}.rollback.sql").write_text(down + "\n")


def _applied(dsn: str, directory: Path) -> dict[str, bool]:
    return {entry.name: entry.applied for entry in migrate.status(dsn, directory)}


def _exists(dsn: str, name: str) -> bool:
    with psycopg.connect(dsn) as connection:
        return connection.execute("select to_regclass(%s)", [name]).fetchone() != (None,)
