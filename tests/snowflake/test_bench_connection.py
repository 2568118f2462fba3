"""The bench as a client sees it: connections, parameters, functions, deployment, and the log of what ran."""

from __future__ import annotations

import json
import threading
import weakref
from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from bench.database import split_statements
from snowflake.connector.errors import InterfaceError, ProgrammingError

from bench import Bench, NotSupported, Statement


@pytest.fixture
def bench() -> Iterator[Bench]:
    with Bench() as made:
        made.execute("CREATE TABLE T (A NUMBER, B VARCHAR)")
        yield made


@pytest.fixture(scope="module")
def store() -> Iterator[Bench]:
    with Bench.deployed() as made:
        yield made


# Cursors and parameters


def test_a_cursor_gives_rows_their_columns_and_their_number(bench: Bench) -> None:
    bench.execute("INSERT INTO T (A, B) SELECT 1, 'x' UNION ALL SELECT 2, 'y' UNION ALL SELECT 3, NULL")
    with bench.connection() as connection, connection.cursor() as cursor:
        assert cursor.execute("SELECT A AS X, B FROM T ORDER BY A") is cursor
        assert [column.name for column in cursor.description or ()] == ["X", "B"]
        assert [column.type_code for column in cursor.description or ()] == ["NUMBER", "VARCHAR"]
        assert cursor.rowcount == 3
        assert cursor.fetchone() == (1, "x")
        assert cursor.fetchmany(1) == [(2, "y")]
        assert cursor.fetchall() == [(3, None)]
        assert cursor.fetchone() is None
        cursor.execute("UPDATE T SET B = 'z' WHERE A > 1")
        assert cursor.rowcount == 2
        cursor.execute("SELECT A FROM T ORDER BY A")
        assert list(cursor) == [(1,), (2,), (3,)]


@pytest.mark.parametrize(
    "value",
    [None, 'it\'s \\ "quoted"; $$\n--', 7, -(2**60), Decimal("1.25"), 2.5, True, datetime(2026, 1, 2, 3, 4, 5, 6)],
)
@pytest.mark.parametrize("style", ["qmark", "pyformat"])
def test_a_parameter_arrives_as_it_was_given(bench: Bench, value: Any, style: str) -> None:
    types = {str: "VARCHAR", int: "NUMBER(38, 0)", Decimal: "NUMBER(38, 2)", float: "FLOAT", bool: "BOOLEAN"}
    mark = "?" if style == "qmark" else "%s"
    cast = f"CAST({mark} AS {types.get(type(value), 'TIMESTAMP_NTZ(6)')})"
    with bench.connection(paramstyle=style) as connection:
        assert connection.is_pyformat == (style == "pyformat")
        assert connection.cursor().execute(f"SELECT {cast} AS X", [value]).fetchall() == [(value,)]


def test_pyformat_takes_names(bench: Bench) -> None:
    with bench.connection(paramstyle="pyformat") as connection:
        connection.cursor().execute("INSERT INTO T (A, B) SELECT %(a)s, %(b)s", {"a": 1, "b": "it's"})
    assert bench.execute("SELECT A, B FROM T") == [(1, "it's")]


def test_an_argument_of_a_call_may_be_an_expression_with_parameters(bench: Bench) -> None:
    bench.execute(
        "CREATE PROCEDURE P(P_A VARIANT, P_B VARCHAR) RETURNS VARCHAR LANGUAGE SQL AS"
        " $$ BEGIN RETURN P_A:x::VARCHAR || P_B; END; $$"
    )
    assert bench.execute("CALL P(PARSE_JSON(?), P_B => ?)", ['{"x": "a,)"}', "b"]) == [("a,)b",)]
    with pytest.raises(NotSupported, match="more values"):
        bench.execute("CALL P(PARSE_JSON('{}'), 'b')", ["surplus"])


def test_errors_have_number_state_and_text(bench: Bench) -> None:
    with pytest.raises(ProgrammingError) as raised:
        bench.execute("SELECT X FROM NO_TABLE")
    assert (raised.value.errno, raised.value.sqlstate) == (2003, "42S02")
    with pytest.raises(ProgrammingError) as raised:
        bench.execute("SELECT NO_FUNCTION(1)")
    assert raised.value.errno == 2140


def test_a_closed_connection_says_so_and_has_rolled_back(bench: Bench) -> None:
    connection = bench.connection()
    connection.cursor().execute("BEGIN")
    connection.cursor().execute("INSERT INTO T (A) SELECT 1")
    assert not connection.is_closed()
    connection.close(retry=False)
    connection.close()
    assert connection.is_closed()
    with pytest.raises(InterfaceError):
        connection.cursor()
    assert bench.execute("SELECT COUNT(*) AS N FROM T") == [(0,)]


def test_commit_and_rollback_end_the_connections_transaction(bench: Bench) -> None:
    with bench.connection() as connection:
        for end, left in ((connection.rollback, 0), (connection.commit, 1)):
            connection.cursor().execute("BEGIN TRANSACTION")
            connection.cursor().execute("INSERT INTO T (A) SELECT 1")
            end()
            assert bench.execute("SELECT COUNT(*) AS N FROM T") == [(left,)]


def test_each_connection_has_its_user_and_its_transaction(bench: Bench) -> None:
    bench.execute("CREATE VIEW WHO AS SELECT CURRENT_USER() AS LOGIN")
    with bench.connection(user="ADA") as ada, bench.connection(user="BOB") as bob:
        ada.cursor().execute("BEGIN")
        ada.cursor().execute("INSERT INTO T (A) SELECT 1")
        assert ada.cursor().execute("SELECT LOGIN FROM WHO").fetchall() == [("ADA",)]
        assert bob.cursor().execute("SELECT LOGIN FROM WHO").fetchall() == [("BOB",)]
        assert bob.cursor().execute("SELECT COUNT(*) AS N FROM T").fetchall() == [(0,)]
        ada.commit()
        assert bob.cursor().execute("SELECT COUNT(*) AS N FROM T").fetchall() == [(1,)]


def test_two_writers_of_one_row_are_refused_instead_of_waiting(bench: Bench) -> None:
    bench.execute("INSERT INTO T (A) SELECT 1")
    with bench.connection() as one, bench.connection() as other:
        one.cursor().execute("BEGIN")
        one.cursor().execute("UPDATE T SET B = 'one'")
        with pytest.raises(NotSupported, match="two sessions"):
            other.cursor().execute("UPDATE T SET B = 'other'")


def test_connections_can_be_used_from_other_threads(bench: Bench) -> None:
    bench.execute("CREATE FUNCTION F(P_A VARIANT) RETURNS VARIANT LANGUAGE JAVASCRIPT AS $$ return P_A + 1; $$")
    answers: list[Any] = []

    def ask() -> None:
        with bench.connection() as connection:
            answers.append(connection.cursor().execute("SELECT F(PARSE_JSON('1')) AS X").fetchall())

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [[("2",)]] * 4


def test_a_connection_can_be_referred_to_weakly(bench: Bench) -> None:
    connection = bench.connection()
    assert weakref.ref(connection)() is connection


def test_two_benches_share_no_data_and_no_files(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("1,x\n")
    copied = "COPY INTO T FROM @S FILE_FORMAT = (TYPE = CSV)"
    with Bench() as other:
        for each in (bench, other):
            each.execute("CREATE OR REPLACE TABLE T (A NUMBER, B VARCHAR)")
            each.execute("CREATE STAGE S")
        bench.execute(f"PUT file://{tmp_path}/rows.csv @S")
        bench.execute(copied)
        other.execute(copied)
        assert bench.execute("SELECT A, B FROM T") == [(1, "x")]
        assert other.execute("SELECT A, B FROM T") == []


# Functions


def test_a_sql_function_converts_its_arguments_and_its_answer(bench: Bench) -> None:
    bench.execute("CREATE FUNCTION F(P_A NUMBER, P_B VARCHAR) RETURNS VARCHAR LANGUAGE SQL AS $$ P_A || '/' || P_B $$")
    assert bench.execute("SELECT F('7', 8) AS X, F(NULL, 'b') AS Y") == [("7/8", None)]


def test_a_replaced_function_is_used_at_once(bench: Bench) -> None:
    for year in (2024, 2025):
        bench.execute(
            "CREATE OR REPLACE FUNCTION CLOCK() RETURNS TIMESTAMP_NTZ(6) LANGUAGE SQL AS"
            f" $$ '{year}-01-01'::TIMESTAMP_NTZ(6) $$"
        )
        assert bench.execute("SELECT CLOCK() AS X") == [(datetime(year, 1, 1),)]


def test_a_replaced_javascript_function_is_used_at_once(bench: Bench) -> None:
    for answer in (1, 2):
        bench.execute(
            f"CREATE OR REPLACE FUNCTION F(P_A VARIANT) RETURNS FLOAT LANGUAGE JAVASCRIPT AS $$ return {answer}; $$"
        )
        assert bench.execute("SELECT F(NULL) AS X") == [(answer,)]


def test_a_function_can_be_called_in_views_and_in_other_functions(bench: Bench) -> None:
    bench.execute("CREATE FUNCTION ONE_MORE(P_A NUMBER) RETURNS NUMBER LANGUAGE SQL AS $$ P_A + 1 $$")
    bench.execute("CREATE FUNCTION TWO_MORE(P_A NUMBER) RETURNS NUMBER LANGUAGE SQL AS $$ ONE_MORE(ONE_MORE(P_A)) $$")
    bench.execute("CREATE VIEW V AS SELECT TWO_MORE(A) AS X FROM T")
    bench.execute("INSERT INTO T (A) SELECT 5")
    assert bench.execute("SELECT X FROM V") == [(7,)]


def test_the_version_is_ours_or_unknown(bench: Bench) -> None:
    with pytest.raises(ProgrammingError) as unknown:
        bench.execute("SELECT VERSION()")
    assert unknown.value.errno == 2140
    bench.execute("CREATE FUNCTION VERSION() RETURNS VARCHAR LANGUAGE SQL AS $$ '1.2.3' $$")
    with bench.cursor() as cursor:
        assert cursor.execute("SELECT VERSION()").fetchall() == [("1.2.3",)]


def test_a_name_that_sqlglot_knows_is_refused_for_a_function(bench: Bench) -> None:
    with pytest.raises(NotSupported, match="sqlglot takes it"):
        bench.execute("CREATE FUNCTION UTC_TIME(P_A VARCHAR) RETURNS VARCHAR LANGUAGE SQL AS $$ P_A $$")


def test_many_events_are_folded_in_one_call(bench: Bench) -> None:
    bench.execute(
        "CREATE FUNCTION F(P_STATE VARIANT, P_EVENTS ARRAY) RETURNS VARIANT LANGUAGE JAVASCRIPT AS"
        " $$ return {n: P_STATE.n + P_EVENTS.length, last: P_EVENTS[P_EVENTS.length - 1].n}; $$"
    )
    bench.execute("CREATE TABLE E (N NUMBER, EVENT VARIANT)")
    bench.execute(
        "INSERT INTO E (N, EVENT) SELECT F.VALUE:n::NUMBER(38, 0), F.VALUE"
        " FROM TABLE(FLATTEN(INPUT => PARSE_JSON(?))) AS F",
        [json.dumps([{"n": n, "pad": "x" * 50} for n in range(100_000)])],
    )
    folded = "SELECT F(PARSE_JSON('{\"n\": 1}'), ARRAY_AGG(EVENT) WITHIN GROUP (ORDER BY N)) AS X FROM E"
    assert bench.execute(folded) == [('{"n":100001,"last":99999}',)]


# Deployment


@pytest.mark.parametrize("variant", ["standard", "hybrid"])
def test_the_shipped_files_make_a_working_store(variant: str) -> None:
    sent = {"eventType": "RunStarted", "emittedAt": "2026-02-16T09:30:00Z", "planId": "plan", "planVersion": "1"}
    identity = {"runId": "r", "tenantId": "t", "projectId": "p", "environmentId": "e"}
    with Bench.deployed(variant) as bench:
        assert bench.statements == []
        [(_id, run_seq, _at, idempotent, persisted)] = bench.execute(
            "CALL APPEND_EVENT(PARSE_JSON(?))", [json.dumps({**identity, **sent})]
        )
        assert (run_seq, idempotent, persisted) == (1, False, True)
        assert bench.roles
        assert bench.grants
        assert bench.tasks


def test_an_unknown_variant_is_refused() -> None:
    with pytest.raises(ValueError, match="cluster"):
        Bench.deployed("cluster")


def test_statements_are_split_outside_of_bodies_literals_and_comments() -> None:
    text = """
    -- one; two
    SELECT 'a;''b' AS X; /* c; */ CREATE FUNCTION F() AS $$ 1; $$;
    SELECT ";" AS "Y;" -- last; comment
    """
    assert [statement.split("--")[0].strip() for statement in split_statements(text)] == [
        "SELECT 'a;''b' AS X",
        "CREATE FUNCTION F() AS $$ 1; $$",
        'SELECT ";" AS "Y;"',
    ]


def test_what_has_no_effect_is_recorded(bench: Bench) -> None:
    texts = {
        "roles": "CREATE ROLE IF NOT EXISTS R COMMENT = 'x'",
        "grants": "GRANT USAGE ON PROCEDURE P(VARCHAR) TO ROLE R",
        "tasks": "CREATE TASK IF NOT EXISTS K SCHEDULE = '1 MINUTE' AS CALL P()",
        "others": "ALTER TABLE T ADD SEARCH OPTIMIZATION ON EQUALITY(A)",
    }
    for text in texts.values():
        bench.execute(text)
    for kind, text in texts.items():
        assert getattr(bench, kind) == [text]


# The log


def test_the_log_counts_what_runs_in_the_warehouse(bench: Bench) -> None:
    body = """BEGIN
        BEGIN TRANSACTION;
        INSERT INTO T (A) SELECT 1;
        LET V_A NUMBER := 1 + 1;
        CALL Q();
        COMMIT;
        RETURN 'x';
    END;"""
    bench.execute("CREATE PROCEDURE Q() RETURNS VARCHAR LANGUAGE SQL AS $$ BEGIN DELETE FROM T WHERE A = 9; END; $$")
    bench.execute(f"CREATE PROCEDURE P() RETURNS VARCHAR LANGUAGE SQL AS $$ {body} $$")
    bench.reset_log()
    bench.execute("CALL P()")
    assert bench.statements == [
        Statement("CALL", "CALL P()", None, False),
        Statement("BEGIN", "BEGIN TRANSACTION", "P", False),
        Statement("INSERT", "INSERT INTO T (A) SELECT 1", "P", True),
        Statement("CALL", "CALL Q()", "P", False),
        Statement("DELETE", "DELETE FROM T WHERE A = 9", "Q", True),
        Statement("COMMIT", "COMMIT", "P", False),
    ]


def test_a_query_in_an_expression_is_a_statement_too(bench: Bench) -> None:
    bench.execute(
        "CREATE PROCEDURE P() RETURNS NUMBER LANGUAGE SQL AS"
        " $$ DECLARE V_N NUMBER DEFAULT 0; BEGIN V_N := (SELECT COUNT(*) FROM T); RETURN V_N; END; $$"
    )
    bench.reset_log()
    assert bench.execute("CALL P()") == [(0,)]
    assert [statement.kind for statement in bench.statements if statement.runs_in_warehouse] == ["SELECT"]


def test_an_append_logs_the_statements_of_every_procedure_under_it(store: Bench) -> None:
    store.reset_log()
    identity = {"runId": "logged", "tenantId": "t", "projectId": "p", "environmentId": "e"}
    sent = {"eventType": "RunStarted", "emittedAt": "2026-02-16T09:30:00Z", "planId": "plan", "planVersion": "1"}
    store.execute("CALL APPEND_EVENT(PARSE_JSON(?))", [json.dumps({**identity, **sent})])
    in_warehouse = [statement for statement in store.statements if statement.runs_in_warehouse]
    assert {"APPEND_EVENT", "STORE_EVENTS", "LOCK_RUNS"} <= {str(statement.procedure) for statement in in_warehouse}
    assert [statement.kind for statement in in_warehouse].count("MERGE") == 2
