"""The live suite's own code: its cases hold on the bench, and it says what it needs.

What is imported here is run here, with an account that is made of the bench. The cases of live/cases_locks.py need
sessions that block each other, which the bench has not.
"""

import inspect
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any

import append_rules
import conformance
import pytest
import snowflake.connector
from live import (
    cases_account,
    cases_appends,
    cases_concurrency,
    cases_import,
    cases_locks,
    cases_operate,
    cases_snapshots,
)
from live.account import Account, Installed, deployed, installed, missing, parameters, rows, variant
from live.cases_account import (  # noqa: F401  # cases and the fixtures that they ask for
    run,
    session,
    store,
    test_a_payload_of_the_greatest_size_and_a_batch_of_a_thousand_fit,
    test_a_procedure_of_the_owner_sees_the_login_that_calls_it,
    test_a_refusal_arrives_word_for_word,
    test_a_refusal_through_a_batch_has_its_index_and_stores_nothing,
    test_a_session_reads_what_another_has_committed_a_moment_ago,
    test_an_append_is_a_transaction_of_its_own_in_the_callers,
    test_an_append_leaves_no_transaction_open,
    test_declared_keys_of_the_log_are_not_what_keeps_it_whole,
    test_text_and_json_come_back_as_they_were,
    test_the_row_count_of_a_merge_is_what_it_inserted_and_updated,
)
from live.cases_appends import procedures  # noqa: F401
from live.cases_concurrency import test_clients_that_share_keys_store_each_key_once  # noqa: F401
from live.cases_import import test_an_export_is_imported_once_and_continued  # noqa: F401
from live.cases_operate import (  # noqa: F401
    test_a_conflict_is_listed_acknowledged_and_resolved,
    test_a_run_is_listed_verified_and_made_anew,
    test_an_archived_run_can_be_read_and_takes_nothing_more,
)
from live.cases_snapshots import Projected, projected  # noqa: F401
from snowflake.connector.errors import ProgrammingError
from stores import write

from bench import Bench

GIVEN = {"account": "an-account", "user": "somebody", "warehouse": "w", "database": "ENGINE", "password": "secret"}
FOLDER = Path(cases_account.__file__).parent
MODULES = (cases_account, cases_appends, cases_concurrency, cases_import, cases_locks, cases_operate, cases_snapshots)
ENVIRONMENT = {f"SNOWFLAKE_{name.upper()}": value for name, value in GIVEN.items()}


class OnBench(Installed):
    """The bench as an account. Its sessions cannot wait for each other, so one client at a time is what it takes."""

    clients = 1


@pytest.fixture(scope="module")
def account() -> Iterator[Account]:
    """An account that is made of the bench."""
    bench = Bench.deployed()
    with pytest.MonkeyPatch.context() as patch, OnBench(GIVEN, "RUNSTORE") as made:
        patch.setattr(snowflake.connector, "connect", lambda **_: bench.connection())
        yield made


# All cases of the conformance files are run elsewhere; here it is enough that these functions can run them.


@pytest.mark.parametrize("case", cases_snapshots.CASES[::12], ids=lambda case: case.name)
def test_the_snapshot_and_the_alerts_are_those_of_the_case(projected: Projected, case: conformance.Case) -> None:  # noqa: F811
    cases_snapshots.test_the_snapshot_and_the_alerts_are_those_of_the_case(projected, case)


@pytest.mark.parametrize(("case", "form"), cases_appends.CASES[::13], ids=lambda given: getattr(given, "name", given))
def test_every_call_of_the_case_is_told_what_it_has_to_be(
    procedures: cases_appends.Procedures,  # noqa: F811
    case: append_rules.Case,
    form: str,
) -> None:
    cases_appends.test_every_call_of_the_case_is_told_what_it_has_to_be(procedures, case, form)


def test_every_case_is_run_here_but_those_that_block() -> None:
    files = {path.stem for path in FOLDER.glob("cases_*.py")}
    assert files == {module.__name__.split(".")[-1] for module in MODULES}
    not_here = {name for module in MODULES for name in _cases(module)} - globals().keys()
    assert not_here == set(_cases(cases_locks))


class EmptyAccount:
    """An empty bench as an account that has a single schema, and whose edition may not have everything.

    Statements about schemas are noted and not run.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch, has_not: str | None = None) -> None:
        self.bench = Bench()
        self.schema_statements: list[str] = []
        self.opened: list[dict[str, Any]] = []
        self._has_not = has_not
        monkeypatch.setattr(snowflake.connector, "connect", self.connect)

    def connect(self, **given: Any) -> Any:
        """Open a session, as the connector does."""
        self.opened.append(given)
        connection = self.bench.connection()
        open_cursor = connection.cursor

        def cursor() -> Any:
            opened = open_cursor()
            execute = opened.execute
            opened.execute = lambda text, *more: execute(self._seen(text), *more)  # type: ignore[method-assign]
            return opened

        connection.cursor = cursor  # type: ignore[method-assign]
        return connection

    def _seen(self, text: str) -> str:
        if text.split()[1] == "SCHEMA":
            self.schema_statements.append(text)
            return "SELECT 1"
        if self._has_not and self._has_not in text:
            raise ProgrammingError("Unsupported feature", errno=2, sqlstate="0A000")
        return text


@pytest.mark.parametrize("tables", ["standard", "hybrid"])
@pytest.mark.parametrize("fails", [False, True])
def test_the_store_is_installed_in_a_schema_of_its_own_which_is_dropped(
    monkeypatch: pytest.MonkeyPatch, fails: bool, tables: str
) -> None:
    on = EmptyAccount(monkeypatch)
    with suppress(KeyboardInterrupt), installed(GIVEN, tables) as made:
        assert made.store().append_event(write("run")).run_seq == 1
        assert rows(made.connect(), "SELECT RUN_ID FROM RUN_EVENTS WHERE RUN_ID = ?", "run") == [{"RUN_ID": "run"}]
        if fails:
            raise KeyboardInterrupt
    (schema,) = {given["schema"] for given in on.opened if "schema" in given}
    assert schema.startswith("RUNSTORE_TEST_")
    assert on.schema_statements == [f"CREATE SCHEMA {schema}", f"USE SCHEMA {schema}", f"DROP SCHEMA {schema} CASCADE"]
    assert (on.bench.roles, on.bench.grants, on.bench.tasks) == ([], [], [])


def test_an_edition_without_search_optimisation_will_do(monkeypatch: pytest.MonkeyPatch) -> None:
    EmptyAccount(monkeypatch, has_not="ADD SEARCH OPTIMIZATION")
    with installed(GIVEN) as made:
        assert made.store().append_event(write("run")).run_seq == 1


def test_a_schema_in_which_the_store_cannot_be_installed_is_dropped_too(monkeypatch: pytest.MonkeyPatch) -> None:
    on = EmptyAccount(monkeypatch, has_not="FUNCTION CHECK_EVENTS")
    with pytest.raises(ProgrammingError, match="Unsupported"), installed(GIVEN):
        pass
    assert on.schema_statements[-1].startswith("DROP SCHEMA RUNSTORE_TEST_")


@pytest.mark.parametrize("tables", ["standard", "hybrid"])
def test_what_reaches_beyond_the_schema_is_not_deployed(tables: str) -> None:
    beginnings = [each.split()[:2] for each in deployed(tables)]
    assert ["CREATE", "TABLE"] in beginnings
    assert (["CREATE", "HYBRID"] in beginnings) is (tables == "hybrid")
    for beginning in (["CREATE", "ROLE"], ["CREATE", "TASK"], ["ALTER", "TASK"], ["GRANT", "USAGE"]):
        assert beginning not in beginnings


def test_other_tables_than_the_two_kinds_are_refused() -> None:
    with pytest.raises(ValueError, match="'other'"):
        deployed("other")


@pytest.mark.parametrize(
    ("absent", "named"),
    [
        ((), []),
        (("SNOWFLAKE_WAREHOUSE",), ["SNOWFLAKE_WAREHOUSE"]),
        (("SNOWFLAKE_PASSWORD",), ["SNOWFLAKE_PASSWORD or SNOWFLAKE_PRIVATE_KEY_FILE"]),
        (
            tuple(ENVIRONMENT),
            [
                "SNOWFLAKE_ACCOUNT",
                "SNOWFLAKE_USER",
                "SNOWFLAKE_WAREHOUSE",
                "SNOWFLAKE_DATABASE",
                "SNOWFLAKE_PASSWORD or SNOWFLAKE_PRIVATE_KEY_FILE",
            ],
        ),
    ],
)
def test_it_knows_which_variables_are_missing(absent: tuple[str, ...], named: list[str]) -> None:
    assert missing({name: value for name, value in ENVIRONMENT.items() if name not in absent}) == named


def test_the_tables_are_the_standard_ones_if_none_are_asked_for() -> None:
    assert (variant({}), variant({"SNOWFLAKE_TABLES": "hybrid"})) == ("standard", "hybrid")


def test_the_variables_are_the_connectors_parameters() -> None:
    assert parameters({**ENVIRONMENT, "SNOWFLAKE_ROLE": "r", "SNOWFLAKE_TABLES": "hybrid"}) == {**GIVEN, "role": "r"}
    with_key = {name: value for name, value in ENVIRONMENT.items() if name != "SNOWFLAKE_PASSWORD"}
    with_key |= {"SNOWFLAKE_PRIVATE_KEY_FILE": "k.p8", "SNOWFLAKE_PRIVATE_KEY_FILE_PWD": "p"}
    assert missing(with_key) == []
    assert {"private_key_file": "k.p8", "private_key_file_pwd": "p"}.items() <= parameters(with_key).items()


def test_without_an_account_it_says_so_in_one_line() -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SNOWFLAKE_")}
    command = [sys.executable, str(FOLDER / "run.py")]
    found = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert found.stderr == ""
    assert len(found.stdout.splitlines()) == 1
    assert "did not run" in found.stdout
    assert "SNOWFLAKE_ACCOUNT" in found.stdout


def test_with_an_account_it_collects_every_case() -> None:
    """Collecting opens nothing."""
    command = [sys.executable, str(FOLDER / "run.py"), "--collect-only", "-q"]
    environment = {**os.environ, **ENVIRONMENT}
    options = ["-p", "no:cacheprovider"]
    found = subprocess.run([*command, *options], env=environment, capture_output=True, text=True, check=True)
    for module in MODULES:
        for name in _cases(module):
            assert f"::{name}" in found.stdout, name


def _cases(module: ModuleType) -> list[str]:
    functions = inspect.getmembers(module, inspect.isfunction)
    return [name for name, each in functions if name.startswith("test_") and each.__module__ == module.__name__]
