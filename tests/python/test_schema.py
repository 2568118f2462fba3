"""sql/ and migrations/ build the same store, and every migration can be taken back."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from catalog import Catalog, catalog
from frozen import MIGRATIONS, ROOT
from runstore import migrate
from runstore.embedded import Server, find_psql
from support import cloned

INSTALL = ROOT / "sql" / "postgres" / "install.sql"
NAMES = sorted(path.stem for path in MIGRATIONS.glob("*.sql") if not path.name.endswith(".rollback.sql"))


def _catalog(dsn: str) -> Catalog:
    with psycopg.connect(dsn, autocommit=True) as connection:
        return catalog(connection)


def _same(left: Catalog, right: Catalog) -> None:
    """Fail with what differs, not with two whole catalogs."""
    assert left.keys() == right.keys()
    for kind in left:
        only_left, only_right = set(left[kind]) - set(right[kind]), set(right[kind]) - set(left[kind])
        assert (kind, only_left, only_right) == (kind, set(), set())
        assert left[kind] == right[kind]


@pytest.fixture(scope="module")
def migrated(server: Server, template: str) -> Iterator[str]:
    """A database that was built by the migrations, for tests that leave it as it is."""
    with cloned(server, template) as name:
        yield server.dsn(name)


@pytest.fixture
def installed(server: Server, empty_dsn: str) -> str:
    """A database that was built from sql/."""
    psql = [str(find_psql(server.bin_dir)), "--no-psqlrc", "--quiet", "--file", str(INSTALL), empty_dsn]
    done = subprocess.run(psql, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return empty_dsn


def test_migrations_build_what_sql_builds(installed: str, migrated: str) -> None:
    _same(_catalog(migrated), _catalog(installed))


def test_the_comparison_sees_every_kind_of_thing(migrated: str) -> None:
    found = _catalog(migrated)
    for kind in (
        "schemas",
        "relations",
        "columns",
        "indexes",
        "constraints",
        "views",
        "triggers",
        "types",
        "functions",
    ):
        assert found[kind], kind
    for table in (
        "alert_codes",
        "config",
        "config_keys",
        "error_codes",
        "event_fields",
        "event_rules",
        "event_types",
    ):
        assert found[f"rows of {table}"], table


@pytest.mark.parametrize(
    "change",
    [
        "comment on column runstore.run_events.run_seq is 'changed'",
        "alter table runstore.run_events alter column payload set not null",
        "alter table runstore.run_events alter column payload set storage external",
        "alter table runstore.config alter column max_signal_bytes set default 1",
        "alter table runstore.run_counters set (fillfactor = 81)",
        "alter table runstore.run_events enable trigger run_events_guard",
        "alter table runstore.alert_codes drop constraint alert_codes_severity",
        "alter view runstore.alerts reset (security_barrier)",
        "grant select on runstore.session_tenants to runstore_reader",
        "grant select (run_id) on runstore.run_events to runstore_reader",
        "grant execute on function runstore.clock() to runstore_reader",
        "alter function runstore.fetch_events(text, bigint, int) security invoker",
        "alter function runstore.fetch_events(text, bigint, int) reset search_path",
        "alter function runstore.clock() cost 7",
        "alter type runstore.append_result add attribute more text",
        "create index more on runstore.run_events (event_type)",
        "drop index runstore.run_events_signals",
        "update runstore.event_rules set hint = 'changed' where rule = 'runId'",
        "update runstore.config set max_signal_bytes = 1",
        "create sequence runstore.more",
        "create schema more",
    ],
)
def test_the_comparison_sees_a_change(migrated: str, change: str) -> None:
    with psycopg.connect(migrated) as connection:
        before = catalog(connection)
        connection.execute(change.encode())
        assert catalog(connection) != before
        connection.rollback()


def test_every_migration_rolls_back_to_the_catalog_before_it(empty_dsn: str, tmp_path: Path) -> None:
    growing = tmp_path / "migrations"
    growing.mkdir()
    steps = [_catalog(empty_dsn)]
    for name in NAMES:
        for suffix in (".sql", ".rollback.sql"):
            shutil.copy(MIGRATIONS / f"{name}{suffix}", growing)
        assert migrate.apply(empty_dsn, growing) == [name]
        steps.append(_catalog(empty_dsn))
        assert steps[-1] != steps[-2], f"{name} does nothing"
    for name, before in zip(reversed(NAMES), reversed(steps[:-1]), strict=True):
        assert migrate.rollback(empty_dsn, 1, growing) == [name]
        _same(_catalog(empty_dsn), before)
    assert migrate.apply(empty_dsn, growing) == NAMES
    _same(_catalog(empty_dsn), steps[-1])


def test_nothing_is_left_after_a_full_rollback(empty_dsn: str) -> None:
    """What is compared is more than the store's schema: all that a database can have besides yoyo's books."""
    before = _everything(empty_dsn)
    migrate.apply(empty_dsn)
    assert _everything(empty_dsn) != before
    assert migrate.rollback(empty_dsn, "all") == NAMES[::-1]
    after = _everything(empty_dsn)
    assert {entry for entry in after - before if not entry.startswith(("runstore_migrations.", "pg_toast."))} == set()


def test_a_rollback_works_on_a_store_that_has_been_used(dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("select runstore.append_event('run', 'RunStarted', now(), 't', 'p', 'e', 'plan', '1')")
        connection.execute("select runstore.bind_login(session_user, 't')")
    assert migrate.rollback(dsn, "all") == NAMES[::-1]
    assert migrate.apply(dsn) == NAMES
    with psycopg.connect(dsn, autocommit=True) as connection:
        row = connection.execute(
            "select run_seq from runstore.append_event('run', 'RunStarted', now(), 'u', 'p', 'e', 'plan', '1')"
        ).fetchone()
        assert row == (1,)


def _everything(dsn: str) -> set[str]:
    """Name whatever lives in a schema of the database."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        rows = connection.execute(
            """
            select n.nspname || '.' || o.name
              from (
                  select relnamespace, relname from pg_class
                  union all select pronamespace, proname from pg_proc
                  union all select typnamespace, typname from pg_type
                  union all select oprnamespace, oprname from pg_operator
                  union all select connamespace, conname from pg_constraint
              ) as o (namespace, name)
              join pg_namespace as n on n.oid = o.namespace
            union all select 'schema.' || nspname from pg_namespace where nspname <> 'runstore_migrations'
            union all select 'extension.' || extname from pg_extension
            """
        ).fetchall()
    return {name for (name,) in rows}
