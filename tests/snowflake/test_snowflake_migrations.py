"""The Snowflake migrations hold what sql/snowflake shows, and yoyo takes a database there and back with them."""

import json
import re
from pathlib import Path

import pytest
from deploying import URL, Deployer
from shipped import (
    HYBRID,
    ORDER,
    SOURCES,
    STANDARD,
    forward,
    hybrid_sources,
    opening_comment,
    ordered,
    rollback_of,
    statements,
    subject,
)
from snowflake.connector.errors import ProgrammingError
from snowflake_catalog import Catalog, catalog, names
from yoyo import get_backend
from yoyo.migrations import read_sql_migration

from bench import Bench

ROLES = ["RUNSTORE_ADMIN", "RUNSTORE_READER", "RUNSTORE_WORKER", "RUNSTORE_WRITER"]
ALL = [*forward(STANDARD), *forward(HYBRID)]
EVENT = {
    "runId": "run-1",
    "eventType": "RunStarted",
    "emittedAt": "2026-02-16T09:30:00Z",
    "tenantId": "acme",
    "projectId": "etl",
    "environmentId": "prod",
    "planId": "plan-1",
    "planVersion": "1",
}
LAST_OF_A_FEW = "0003.config_keys"


@pytest.fixture
def bench() -> Bench:
    """An empty database."""
    return Bench()


@pytest.fixture
def deployer(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Deployer:
    """A deployer of that database, in which yoyo's tables are."""
    deployer = Deployer(bench, monkeypatch)
    deployer.prepare()
    return deployer


@pytest.fixture(scope="module")
def standard() -> Catalog:
    """What sql/snowflake makes of a database."""
    return built([*ordered()])


@pytest.fixture(scope="module")
def hybrid() -> Catalog:
    """What it makes with the hybrid variant's files in place of those of the same name."""
    instead = {path.name: path for path in hybrid_sources()}
    shared = [instead.get(path.name, path) for path in ordered() if path.name != "run_events_search.sql"]
    return built([*(path for path in instead.values() if path not in shared), *shared])


@pytest.fixture
def few(tmp_path: Path) -> Path:
    """A directory with the first migrations: tables with and without rows."""
    directory = tmp_path / "few"
    directory.mkdir()
    for path in forward(STANDARD)[:3]:
        for file in (path, rollback_of(path)):
            (directory / file.name).write_text(file.read_text())
    assert (directory / f"{LAST_OF_A_FEW}.sql").exists()
    return directory


# What the files hold


def test_order_names_every_file_once() -> None:
    files = {str(path.relative_to(SOURCES)) for path in SOURCES.rglob("*.sql")}
    named = ORDER.read_text().split()
    assert sorted(named) == sorted(files - {f"hybrid/{path.name}" for path in hybrid_sources()})


def test_migrations_hold_what_the_files_show_and_nothing_else() -> None:
    assert made_by(forward(STANDARD)) == made_by(ordered())


def test_the_overlay_holds_what_the_hybrid_files_show() -> None:
    assert made_by(forward(HYBRID)) == made_by(hybrid_sources())


def test_taking_the_overlay_back_makes_what_the_standard_files_make() -> None:
    """The search optimisation too, which went with the table: the bench has none to compare."""
    replaced = {"run_events", "run_events_search", "run_counters", "lock_runs"}
    standard = made_by([path for path in ordered() if path.stem in replaced])
    assert len(standard) == len(replaced)
    assert made_by([rollback_of(path) for path in forward(HYBRID)]) == standard


def test_every_hybrid_file_stands_in_for_a_standard_one_but_that_of_the_locks() -> None:
    by_name = {path.name: path for path in ordered()}
    of_its_own = [path for path in hybrid_sources() if path.name not in by_name]
    assert [*made_by(of_its_own)] == [("table", "RUN_LOCKS")]
    for path in hybrid_sources():
        if path not in of_its_own:
            assert made_by([path]).keys() == made_by([by_name[path.name]]).keys()


@pytest.mark.parametrize("table", ["run_events", "run_counters"])
def test_a_hybrid_table_has_the_columns_comments_and_keys_of_the_standard_one(table: str) -> None:
    (in_rows,) = statements((SOURCES / "hybrid" / f"{table}.sql").read_text())
    (in_partitions,) = statements((SOURCES / "log" / f"{table}.sql").read_text())
    assert in_rows.startswith("CREATE HYBRID TABLE ")
    assert in_rows.replace("CREATE HYBRID TABLE ", "CREATE TABLE ") == re.sub(r"\nCLUSTER BY [^\n]+", "", in_partitions)


@pytest.mark.parametrize("path", ALL, ids=lambda path: path.stem)
def test_a_migration_holds_one_object(path: Path) -> None:
    kinds: dict[tuple[str, ...], list[tuple[str, ...]]] = {}
    for made in made_by([path]):
        owner = ("all", made[0]) if made[0] in ("role", "grant") else ("table", made[1]) if made[0] == "rows" else made
        kinds.setdefault(owner, []).append(made)
    assert len(kinds) == 1


@pytest.mark.parametrize("path", ALL, ids=lambda path: path.stem)
def test_a_migration_says_what_it_brings_and_what_it_follows(path: Path) -> None:
    text = path.read_text()
    place = ALL.index(path)
    depends = f"depends: {ALL[place - 1].stem}" if place else None
    brought = [line for line in opening_comment(text).splitlines() if line != depends]
    assert 1 <= len(brought) <= 2
    assert text.count("\n-- depends: ") == (1 if place else 0)
    assert depends is None or f"\n-- {depends}\n" in text
    assert opening_comment(rollback_of(path).read_text()) == f"Takes back {path.stem}."


@pytest.mark.parametrize("path", [*ALL, *map(rollback_of, ALL)], ids=lambda path: path.stem)
def test_yoyo_takes_every_statement_whole(path: Path) -> None:
    """It splits at semicolons, and a body has many of them."""
    _, _, split = read_sql_migration(str(path))
    assert [next(statements(text)) for text in split] == list(statements(path.read_text()))
    assert [text for text in split if text.count("$$") % 2] == []


# Deploying


def test_yoyo_builds_what_the_files_build(bench: Bench, deployer: Deployer, standard: Catalog) -> None:
    assert deployer.apply() == [path.stem for path in forward(STANDARD)]
    assert catalog(bench) == standard
    assert deployer.apply() == []
    assert append(bench)["RUN_SEQ"] == 1


def test_every_migration_can_be_run_again_in_a_store_in_use(
    bench: Bench, deployer: Deployer, standard: Catalog
) -> None:
    deployer.prepare_with_standard()
    append(bench)
    bench.execute("CALL SET_CONFIG_VALUE('max_signals_per_minute', '7')")
    locked = bench.execute("SELECT TIMES_TAKEN FROM APPEND_LOCK")
    deployer.forget()
    assert deployer.apply() == [path.stem for path in forward(STANDARD)]
    assert catalog(bench) == standard
    assert bench.execute("SELECT MAX_SIGNALS_PER_MINUTE FROM CONFIG") == [(7,)]
    assert bench.execute("SELECT TIMES_TAKEN FROM APPEND_LOCK") == locked
    assert bench.execute("SELECT COUNT(*) AS X FROM ERROR_CODES") == [(len(rows_of("error_codes")),)]
    assert append(bench, eventType="RunCompleted")["RUN_SEQ"] == 2


def test_yoyo_takes_everything_back_but_the_roles(bench: Bench, deployer: Deployer, standard: Catalog) -> None:
    deployer.prepare_with_standard()
    assert catalog(bench) == standard
    assert deployer.rollback() == [path.stem for path in reversed(forward(STANDARD))]
    assert catalog(bench).keys() == {("role", name) for name in ROLES}
    assert deployer.rollback() == []
    deployer.prepare_with_standard()
    assert catalog(bench) == standard


def test_a_rollback_can_be_run_again(bench: Bench, deployer: Deployer) -> None:
    """Each drops what may be gone already, as after a death between a rollback and its entry in the books."""
    deployer.prepare_with_standard()
    for path in reversed(forward(STANDARD)):
        for _ in range(2):
            bench.script(rollback_of(path).read_text())
    assert catalog(bench).keys() == {("role", name) for name in ROLES}


@pytest.mark.parametrize(
    "moment",
    [
        pytest.param(r"^MERGE INTO CONFIG_KEYS", id="within a migration"),
        pytest.param(r"^CREATE TABLE IF NOT EXISTS CONFIG_KEYS", id="before a migration"),
        pytest.param(r'INTO "_yoyo_log"', id="after a migration, before it is in the log"),
        pytest.param(r'INTO "_yoyo_migration"', id="after a migration, before it is in the books"),
    ],
)
def test_another_process_goes_on_where_one_died(bench: Bench, deployer: Deployer, few: Path, moment: str) -> None:
    deployer.dies_applying(moment, few)
    deployer.revive()
    assert deployer.apply(few)[-1] == LAST_OF_A_FEW
    assert deployer.apply(few) == []
    assert catalog(bench) == built([*ordered()[:3]])
    assert bench.execute("SELECT COUNT(*) AS X FROM CONFIG_KEYS") == [(len(rows_of("config_keys")),)]
    assert bench.execute("SELECT COUNT(*) AS X FROM CONFIG") == [(1,)]


def test_a_migration_that_fails_is_undone_and_can_be_applied_later(bench: Bench, deployer: Deployer, few: Path) -> None:
    """DDL commits, so yoyo finds out that it cannot roll back, and runs the rollback of what it did."""
    path = few / f"{LAST_OF_A_FEW}.sql"
    text = path.read_text()
    path.write_text(text.replace("MERGE INTO CONFIG_KEYS", "MERGE INTO CONFIG_KEYZ"))
    with pytest.raises(ProgrammingError):
        deployer.apply(few)
    assert names(catalog(bench), "table") == ["CONFIG", "ERROR_CODES"]
    path.write_text(text)
    assert deployer.apply(few) == [LAST_OF_A_FEW]


# The overlay for hybrid tables


def test_the_overlay_changes_two_tables_and_the_lock_and_nothing_else(
    bench: Bench, deployer: Deployer, standard: Catalog, hybrid: Catalog
) -> None:
    deployer.prepare_with_standard()
    assert deployer.apply(STANDARD, HYBRID) == [path.stem for path in forward(HYBRID)]
    made = catalog(bench)
    assert made == hybrid
    assert {key[:2] for key in made.keys() | standard.keys() if made.get(key) != standard.get(key)} == {
        ("procedure", "LOCK_RUNS"),
        ("enforced", "RUN_EVENTS"),
        ("enforced", "RUN_COUNTERS"),
        ("search", "RUN_EVENTS"),
        ("table", "RUN_LOCKS"),
        ("enforced", "RUN_LOCKS"),
    }
    assert append(bench)["RUN_SEQ"] == 1


def test_a_store_can_be_made_with_the_overlay_at_once_and_taken_back(
    bench: Bench, deployer: Deployer, standard: Catalog, hybrid: Catalog
) -> None:
    deployer.apply(STANDARD, HYBRID)
    assert catalog(bench) == hybrid
    assert deployer.rollback(STANDARD, HYBRID, only=HYBRID) == [path.stem for path in reversed(forward(HYBRID))]
    assert catalog(bench) == standard
    deployer.rollback(STANDARD)
    assert names(catalog(bench), "role") == ROLES


def test_the_overlay_is_refused_in_a_store_that_has_had_events(
    bench: Bench, deployer: Deployer, standard: Catalog
) -> None:
    deployer.prepare_with_standard()
    append(bench)
    with pytest.raises(ProgrammingError, match=r"STORE_IN_USE.*the store has runs: hybrid tables"):
        deployer.apply(STANDARD, HYBRID)
    assert catalog(bench) == standard
    assert bench.execute("SELECT RUN_ID, RUN_SEQ FROM RUN_EVENTS") == [("run-1", 1)]


@pytest.mark.parametrize("kept", ["events", "runs"])
def test_the_overlay_looks_at_events_and_at_runs(bench: Bench, deployer: Deployer, kept: str) -> None:
    deployer.prepare_with_standard()
    append(bench)
    bench.execute({"events": "DELETE FROM RUN_COUNTERS", "runs": "DELETE FROM RUN_EVENTS"}[kept])
    with pytest.raises(ProgrammingError, match=f"the store has {kept}: hybrid tables"):
        deployer.apply(STANDARD, HYBRID)
    left = {"events": "SELECT COUNT(*) AS X FROM RUN_EVENTS", "runs": "SELECT COUNT(*) AS X FROM RUN_COUNTERS"}[kept]
    assert bench.execute(left) == [(1,)]


def test_an_event_that_comes_between_two_steps_of_the_overlay_stops_it(bench: Bench, deployer: Deployer) -> None:
    deployer.prepare_with_standard()
    deployer.dies_applying(r"^DROP TABLE IF EXISTS RUN_COUNTERS", STANDARD, HYBRID)
    append(bench)
    deployer.revive()
    with pytest.raises(ProgrammingError, match="the store has runs: hybrid tables"):
        deployer.apply(STANDARD, HYBRID)
    assert bench.execute("SELECT RUN_ID, RUN_SEQ FROM RUN_EVENTS") == [("run-1", 1)]
    assert bench.execute("SELECT RUN_ID, LAST_SEQ FROM RUN_COUNTERS") == [("run-1", 1)]


@pytest.mark.parametrize(
    "moment",
    [
        r"^DROP TABLE IF EXISTS RUN_EVENTS",
        r"^CREATE HYBRID TABLE IF NOT EXISTS RUN_EVENTS",
        r"^DROP TABLE IF EXISTS RUN_COUNTERS",
        r"^CREATE HYBRID TABLE IF NOT EXISTS RUN_COUNTERS",
        r"^CREATE HYBRID TABLE IF NOT EXISTS RUN_LOCKS",
        r"^CREATE OR REPLACE PROCEDURE LOCK_RUNS",
        r'INTO "_yoyo_migration"',
    ],
)
def test_the_overlay_goes_on_from_where_it_died(bench: Bench, deployer: Deployer, hybrid: Catalog, moment: str) -> None:
    deployer.prepare_with_standard()
    deployer.dies_applying(moment, STANDARD, HYBRID)
    deployer.revive()
    assert deployer.apply(STANDARD, HYBRID)
    assert catalog(bench) == hybrid
    assert append(bench)["RUN_SEQ"] == 1


def test_an_account_without_hybrid_tables_keeps_the_standard_ones(
    bench: Bench, deployer: Deployer, standard: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    deployer.prepare_with_standard()
    deployer.refuses = r"^CREATE HYBRID TABLE"
    with pytest.raises(ProgrammingError, match="Unsupported feature"):
        deployer.apply(STANDARD, HYBRID)
    assert catalog(bench) == standard
    assert append(bench)["RUN_SEQ"] == 1


def test_taking_the_overlay_back_is_refused_when_events_would_be_lost(
    bench: Bench, deployer: Deployer, hybrid: Catalog
) -> None:
    deployer.prepare_with_standard()
    deployer.apply(STANDARD, HYBRID)
    append(bench)
    with pytest.raises(ProgrammingError, match="the store has runs, which would be lost"):
        deployer.rollback(STANDARD, HYBRID)
    assert catalog(bench) == hybrid
    assert bench.execute("SELECT RUN_ID, RUN_SEQ FROM RUN_EVENTS") == [("run-1", 1)]


# What yoyo can and cannot do on an account


def test_yoyo_cannot_make_its_own_tables_on_an_account(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """It makes a column ID and asks for a column "id"; therefore migrations/snowflake_books.sql."""
    with pytest.raises(ProgrammingError, match="invalid identifier '\"ctime\"'"):
        Deployer(bench, monkeypatch).apply()


def test_yoyos_tables_can_be_prepared_again(bench: Bench, deployer: Deployer, few: Path) -> None:
    deployer.apply(few)
    deployer.prepare()
    assert deployer.apply(few) == []
    assert bench.execute('SELECT "version" FROM "_yoyo_version"') == [(2,)]


def test_yoyos_tables_are_those_of_this_schema(bench: Bench, deployer: Deployer, few: Path) -> None:
    """It lists the tables of all schemas; a store in another one must not be taken for this one."""
    bench.execute("CREATE SCHEMA OTHER")
    bench.execute('CREATE TABLE OTHER."_yoyo_migration" ("migration_hash" VARCHAR)')
    bench.execute("USE SCHEMA RUNSTORE")
    assert deployer.apply(few)[-1] == LAST_OF_A_FEW


def test_yoyos_lock_keeps_a_second_deployer_out_of_nothing(bench: Bench, deployer: Deployer) -> None:
    """Its table's key is not enforced: deploy from one place, one at a time."""
    with get_backend(URL) as first, get_backend(URL) as second, first.lock(), second.lock(timeout=1):
        assert bench.execute('SELECT COUNT(*) AS X FROM "yoyo_lock"') == [(2,)]


@pytest.mark.parametrize(
    ("url", "connected"),
    [
        pytest.param(
            "snowflake://deployer:a%40b%2Fc%3Fd@org-account/DB/RUNSTORE?warehouse=W&role=R",
            {"user": "deployer", "password": "a@b/c?d", "warehouse": "W", "role": "R"},
            id="a password with signs",
        ),
        pytest.param(
            "snowflake://deployer@org-account/DB/RUNSTORE?warehouse=W&role=R"
            "&authenticator=SNOWFLAKE_JWT&private_key_file=%2Fkeys%2Fdeployer.p8",
            {
                "user": "deployer",
                "password": None,
                "warehouse": "W",
                "role": "R",
                "authenticator": "SNOWFLAKE_JWT",
                "private_key_file": "/keys/deployer.p8",
            },
            id="a key pair",
        ),
    ],
)
def test_the_url_says_all_that_the_driver_needs(deployer: Deployer, url: str, connected: dict[str, str]) -> None:
    with get_backend(url):
        assert deployer.connected == [{**connected, "account": "org-account", "database": "DB", "schema": "RUNSTORE"}]


def test_the_url_names_a_schema(deployer: Deployer) -> None:
    with pytest.raises(ValueError, match="not enough values to unpack"):
        get_backend("snowflake://deployer:secret@org-account/DB")


def built(files: list[Path]) -> Catalog:
    """Return what files make of an empty database."""
    with Bench() as bench:
        for path in files:
            bench.script(path.read_text())
        return catalog(bench)


def made_by(files: list[Path]) -> dict[tuple[str, ...], str]:
    """Return the last statement of each object; what only makes room for another is left out."""
    return {
        subject(statement): statement
        for path in files
        for statement in statements(path.read_text())
        if not statement.startswith(("DROP TABLE", "EXECUTE IMMEDIATE\n$$"))
    }


def rows_of(name: str) -> list[str]:
    """Return the rows that a file of the foundation puts into its table."""
    return re.findall(r"^ +\('.*\),?$", (SOURCES / "foundation" / f"{name}.sql").read_text(), re.MULTILINE)


def append(bench: Bench, **fields: str) -> dict[str, object]:
    """Append an event and return the answer by column."""
    cursor = bench.cursor()
    cursor.execute("CALL APPEND_EVENT(PARSE_JSON(?))", [json.dumps({**EVENT, **fields})])
    assert cursor.description
    (row,) = cursor.fetchall()
    return {column.name: value for column, value in zip(cursor.description, row, strict=True)}
