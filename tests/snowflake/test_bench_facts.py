"""What is known of live accounts, held against the bench: it behaves so, or refuses to guess."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from snowflake.connector.errors import ProgrammingError

from bench import Bench, NotSupported


@pytest.fixture
def bench() -> Iterator[Bench]:
    with Bench() as made:
        made.execute("CREATE TABLE T (A NUMBER, B VARCHAR)")
        yield made


def procedure(bench: Bench, body: str, parameters: str = "", returns: str = "VARCHAR", name: str = "P") -> None:
    bench.execute(f"CREATE OR REPLACE PROCEDURE {name}({parameters}) RETURNS {returns} LANGUAGE SQL AS $$\n{body}\n$$")


def answer(bench: Bench, body: str, returns: str = "VARCHAR") -> Any:
    procedure(bench, body, returns=returns)
    [[value]] = bench.execute("CALL P()")
    return value


def refusal(bench: Bench, statement: str, *parameters: Any) -> str:
    with pytest.raises(ProgrammingError) as refused:
        bench.execute(statement, parameters)
    assert refused.value.msg is not None
    return refused.value.msg


def fault(bench: Bench, body: str, returns: str = "VARCHAR") -> str:
    procedure(bench, body, returns=returns)
    return refusal(bench, "CALL P()")


def rows(bench: Bench) -> list[tuple[Any, ...]]:
    return bench.execute("SELECT A, B FROM T ORDER BY A")


# Transactions


def test_a_transaction_left_open_is_rolled_back_and_fails_the_call(bench: Bench) -> None:
    message = fault(bench, "BEGIN BEGIN TRANSACTION; INSERT INTO T (A) SELECT 1; RETURN 'x'; END;")
    assert "Scoped transaction started in stored procedure is incomplete and it was rolled back" in message
    assert rows(bench) == []


def test_a_transaction_ended_in_its_procedure_is_kept(bench: Bench) -> None:
    assert answer(bench, "BEGIN BEGIN TRANSACTION; INSERT INTO T (A) SELECT 1; COMMIT; RETURN 'x'; END;") == "x"
    assert rows(bench) == [(1, None)]


def test_a_procedure_works_within_the_transaction_of_its_caller(bench: Bench) -> None:
    procedure(bench, "BEGIN INSERT INTO T (A) SELECT 1; RETURN 'x'; END;")
    bench.execute("BEGIN TRANSACTION")
    bench.execute("CALL P()")
    bench.execute("ROLLBACK")
    assert rows(bench) == []


def test_a_transaction_of_a_procedure_stays_when_the_caller_rolls_back(bench: Bench) -> None:
    procedure(bench, "BEGIN BEGIN TRANSACTION; INSERT INTO T (A) SELECT 1; COMMIT; RETURN 'x'; END;")
    bench.execute("BEGIN TRANSACTION")
    bench.execute("CALL P()")
    bench.execute("ROLLBACK")
    assert rows(bench) == [(1, None)]


def test_a_procedure_cannot_end_the_transaction_of_its_caller(bench: Bench) -> None:
    procedure(bench, "BEGIN COMMIT; RETURN 'x'; END;")
    bench.execute("BEGIN TRANSACTION")
    assert "different scope" in refusal(bench, "CALL P()")


def test_a_handler_rolls_back_and_raises_again(bench: Bench) -> None:
    message = fault(
        bench,
        """DECLARE E EXCEPTION (-20001, 'gone'); BEGIN
        BEGIN TRANSACTION; INSERT INTO T (A) SELECT 1; RAISE E;
        EXCEPTION WHEN OTHER THEN ROLLBACK; RAISE; END;""",
    )
    assert message.endswith(": gone")
    assert rows(bench) == []


def test_an_exception_that_leaves_a_transaction_open_is_not_guessed_at(bench: Bench) -> None:
    procedure(bench, "DECLARE E EXCEPTION (-20001, 'x'); BEGIN BEGIN TRANSACTION; RAISE E; END;")
    with pytest.raises(NotSupported, match="left its transaction open"):
        bench.execute("CALL P()")
    assert bench.execute("SELECT CURRENT_TRANSACTION() IS NULL AS X") == [(True,)]


def test_after_a_failed_statement_a_transaction_takes_only_rollback(bench: Bench) -> None:
    bench.execute("BEGIN TRANSACTION")
    bench.execute("INSERT INTO T (A) SELECT 1")
    refusal(bench, "INSERT INTO T (A) SELECT 'x'::NUMBER(38, 0)")
    for statement in ("SELECT 1 AS X", "COMMIT"):
        with pytest.raises(NotSupported, match="ROLLBACK"):
            bench.execute(statement)
    bench.execute("ROLLBACK")
    assert rows(bench) == []


def test_ddl_commits_the_open_transaction(bench: Bench) -> None:
    bench.execute("BEGIN TRANSACTION")
    bench.execute("INSERT INTO T (A) SELECT 1")
    bench.execute("CREATE TABLE U (A NUMBER)")
    bench.execute("ROLLBACK")
    assert rows(bench) == [(1, None)]


def test_copy_is_part_of_the_transaction(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("1,x\n")
    bench.execute("CREATE STAGE S")
    bench.execute(f"PUT file://{tmp_path}/rows.csv @S")
    bench.execute("BEGIN TRANSACTION")
    bench.execute("COPY INTO T FROM @S FILE_FORMAT = (TYPE = CSV)")
    assert rows(bench) == [(1, "x")]
    bench.execute("ROLLBACK")
    assert rows(bench) == []


def test_ddl_of_a_stage_commits_too(bench: Bench) -> None:
    bench.execute("BEGIN TRANSACTION")
    bench.execute("INSERT INTO T (A) SELECT 1")
    bench.execute("CREATE STAGE S")
    bench.execute("ROLLBACK")
    assert rows(bench) == [(1, None)]


def test_commit_and_rollback_without_a_transaction_do_nothing(bench: Bench) -> None:
    bench.execute("COMMIT")
    bench.execute("ROLLBACK")
    assert rows(bench) == []


def test_without_a_transaction_each_statement_stays(bench: Bench) -> None:
    fault(bench, "DECLARE E EXCEPTION (-20001, 'x'); BEGIN INSERT INTO T (A) SELECT 1; RAISE E; END;")
    assert rows(bench) == [(1, None)]


def test_current_transaction_tells_whether_one_is_open(bench: Bench) -> None:
    asked = "SELECT CURRENT_TRANSACTION() IS NULL AS X"
    seen = [bench.execute(asked)]
    bench.execute("BEGIN TRANSACTION")
    seen.append(bench.execute(asked))
    bench.execute("ROLLBACK")
    seen.append(bench.execute(asked))
    assert seen == [[(True,)], [(False,)], [(True,)]]


# SQLROWCOUNT


@pytest.mark.parametrize(
    ("statements", "seen"),
    [
        ("", None),
        ("INSERT INTO T (A) SELECT 1 UNION ALL SELECT 2;", 2),
        ("UPDATE T SET B = 'x' WHERE A = 99;", 0),
        ("INSERT INTO T (A) SELECT 1; DELETE FROM T;", 1),
        ("INSERT INTO T (A) SELECT 1; SELECT COUNT(*) INTO :V_OTHER FROM T;", None),
        ("INSERT INTO T (A) SELECT 1; CALL Q();", None),
        ("BEGIN TRANSACTION; INSERT INTO T (A) SELECT 1; COMMIT;", None),
        (
            "INSERT INTO T (A) SELECT 1; LET V_NEW NUMBER := 7; IF (V_NEW = 7) THEN V_OTHER := 9; END IF;",
            1,
        ),
        ("INSERT INTO T (A) SELECT 1; LET RS RESULTSET := (SELECT 1 AS X);", None),
    ],
)
def test_sqlrowcount_is_that_of_the_last_statement(bench: Bench, statements: str, seen: int | None) -> None:
    procedure(bench, "BEGIN RETURN 'q'; END;", name="Q")
    body = f"""DECLARE V_OTHER NUMBER DEFAULT 0; V_SEEN NUMBER DEFAULT 0;
        BEGIN {statements} V_SEEN := SQLROWCOUNT; RETURN V_SEEN; END;"""
    assert answer(bench, body, "NUMBER") == seen


def test_sqlrowcount_of_a_merge_is_its_total(bench: Bench) -> None:
    bench.execute("INSERT INTO T (A) SELECT 1")
    body = """DECLARE V_SEEN NUMBER DEFAULT 0; BEGIN
        MERGE INTO T USING (SELECT 1 AS A UNION ALL SELECT 2 UNION ALL SELECT 3) AS S ON T.A = S.A
        WHEN MATCHED THEN UPDATE SET B = 'old' WHEN NOT MATCHED THEN INSERT (A, B) VALUES (S.A, 'new');
        V_SEEN := SQLROWCOUNT; RETURN V_SEEN; END;"""
    assert answer(bench, body, "NUMBER") == 3
    assert rows(bench) == [(1, "old"), (2, "new"), (3, "new")]


@pytest.mark.parametrize(("key", "found", "missed"), [(1, True, False), (2, False, True)])
def test_sqlfound_and_sqlnotfound_tell_whether_rows_were_changed(
    bench: Bench, key: int, found: bool, missed: bool
) -> None:
    bench.execute("INSERT INTO T (A) SELECT 1")
    for name, expected in (("SQLFOUND", found), ("SQLNOTFOUND", missed)):
        body = f"BEGIN UPDATE T SET B = 'x' WHERE A = {key}; RETURN {name}; END;"  # noqa: S608
        assert answer(bench, body, "BOOLEAN") is expected


def test_a_grid_has_a_column_for_each_kind_of_action_of_the_merge(bench: Bench) -> None:
    with bench.cursor() as cursor:
        cursor.execute(
            "MERGE INTO T USING (SELECT 1 AS A) AS S ON T.A = S.A "
            "WHEN MATCHED THEN UPDATE SET B = 'x' WHEN NOT MATCHED THEN INSERT (A) VALUES (S.A)"
        )
        assert [column.name for column in cursor.description or ()] == [
            "number of rows inserted",
            "number of rows updated",
        ]
        assert cursor.fetchall() == [(1, 0)]
        cursor.execute(
            "MERGE INTO T USING (SELECT 1 AS A) AS S ON T.A = S.A WHEN NOT MATCHED THEN INSERT (A) VALUES (S.A)"
        )
        assert [column.name for column in cursor.description or ()] == ["number of rows inserted"]


# Names


@pytest.mark.parametrize(
    "body",
    [
        "BEGIN INSERT INTO T (A) SELECT 1; IF (1 = 2) THEN V_NONE := 1; END IF; RETURN 'x'; END;",
        "BEGIN INSERT INTO T (A) SELECT 1; IF (1 = 2) THEN DELETE FROM T WHERE A = :V_NONE; END IF; RETURN 'x'; END;",
        "BEGIN INSERT INTO T (A) SELECT 1; IF (1 = 2) THEN RETURN V_NONE; END IF; RETURN 'x'; END;",
        "BEGIN INSERT INTO T (A) SELECT 1; IF (1 = 2) THEN SELECT 1 INTO :V_NONE; END IF; RETURN 'x'; END;",
        "BEGIN INSERT INTO T (A) SELECT 1; IF (1 = 2) THEN CALL P(:V_NONE); END IF; RETURN 'x'; END;",
        "BEGIN INSERT INTO T (A) SELECT 1; IF (1 = 2) THEN RAISE V_NONE; END IF; RETURN 'x'; END;",
        "BEGIN INSERT INTO T (A) SELECT 1; IF (V_NONE = 2) THEN RETURN 'y'; END IF; RETURN 'x'; END;",
        "BEGIN INSERT INTO T (A) SELECT 1; RETURN 'x'; EXCEPTION WHEN OTHER THEN RETURN V_NONE; END;",
    ],
)
def test_an_unknown_name_refuses_the_call_before_anything_runs(bench: Bench, body: str) -> None:
    procedure(bench, body)
    assert "invalid identifier 'V_NONE'" in refusal(bench, "CALL P()")
    assert rows(bench) == []


def test_a_block_cannot_catch_that_it_does_not_compile(bench: Bench) -> None:
    message = fault(bench, "BEGIN V_NONE := 1; RETURN 'x'; EXCEPTION WHEN OTHER THEN RETURN 'caught'; END;")
    assert "invalid identifier 'V_NONE'" in message


def test_create_takes_names_that_nothing_has(bench: Bench) -> None:
    procedure(bench, "BEGIN SELECT X INTO :V_NONE FROM NO_TABLE; RETURN 'x'; END;")
    assert "invalid identifier" in refusal(bench, "CALL P()")


@pytest.mark.parametrize(
    "body",
    [
        "BEGIN V_LATE := 1; LET V_LATE NUMBER := 1; RETURN 'x'; END;",
        "BEGIN BEGIN LET V_LATE NUMBER := 1; END; RETURN V_LATE; END;",
        "BEGIN WHILE (FALSE) DO LET V_LATE NUMBER := 1; END WHILE; RETURN V_LATE; END;",
        "DECLARE V_A NUMBER DEFAULT V_LATE; V_LATE NUMBER DEFAULT 1; BEGIN RETURN V_A; END;",
    ],
)
def test_a_variable_is_there_from_its_let_to_the_end_of_its_block(bench: Bench, body: str) -> None:
    assert "invalid identifier 'V_LATE'" in fault(bench, body)


def test_a_record_is_gone_after_its_loop(bench: Bench) -> None:
    body = """DECLARE V_A NUMBER DEFAULT 0; BEGIN LET RS RESULTSET := (SELECT 1 AS X);
        FOR R IN RS DO V_A := R.X; END FOR; V_A := R.X; END;"""
    assert "invalid identifier 'R.X'" in fault(bench, body)


def test_scripting_expressions_read_variables_with_and_without_a_colon(bench: Bench) -> None:
    body = """DECLARE V_A NUMBER DEFAULT 1;
        BEGIN V_A := V_A + :V_A; IF (:V_A = 2 AND V_A = 2) THEN RETURN 'two'; END IF; END;"""
    assert answer(bench, body) == "two"


def test_an_argument_of_a_call_in_a_block_needs_the_colon(bench: Bench) -> None:
    procedure(bench, "BEGIN RETURN 'q'; END;", parameters="P_A NUMBER", name="Q")
    with pytest.raises(ProgrammingError, match="invalid identifier 'V_A'"):
        procedure(bench, "DECLARE V_A NUMBER DEFAULT 1; BEGIN CALL Q(V_A); RETURN 'x'; END;")


def test_a_name_without_colon_in_a_statement_is_a_column(bench: Bench) -> None:
    bench.execute("INSERT INTO T (A) SELECT 5")
    body = """DECLARE A NUMBER DEFAULT 1; V_N NUMBER DEFAULT 0;
        BEGIN SELECT COUNT(*) INTO :V_N FROM T WHERE A = 5; RETURN V_N; END;"""
    assert answer(bench, body, "NUMBER") == 1


def test_a_field_of_a_record_is_read_in_expressions_only(bench: Bench) -> None:
    body = """DECLARE V_A NUMBER DEFAULT 0; BEGIN LET RS RESULTSET := (SELECT 1 AS X);
        FOR R IN RS DO SELECT R.X INTO :V_A; END FOR; RETURN V_A; END;"""
    with pytest.raises(ProgrammingError):
        answer(bench, body)


def test_whether_a_handler_sees_a_variable_of_the_body_is_not_guessed_at(bench: Bench) -> None:
    procedure(bench, "BEGIN LET V_A NUMBER := 1; RETURN 'x'; EXCEPTION WHEN OTHER THEN RETURN V_A; END;")
    with pytest.raises(NotSupported, match="V_A"):
        bench.execute("CALL P()")


def test_an_exception_is_no_variable(bench: Bench) -> None:
    body = "DECLARE E EXCEPTION (-20001, 'x'); BEGIN E := 'other'; RETURN 'x'; END;"
    assert "invalid identifier 'E'" in fault(bench, body)


@pytest.mark.parametrize(
    "body",
    [
        "BEGIN RETURN 'x' END;",
        "BEGIN IF (1 = 1) THEN RETURN 'x'; END;",
        "BEGIN SELEC 1; END;",
        "DECLARE E EXCEPTION (-20000 - 1, 'x'); BEGIN RAISE E; END;",
    ],
)
def test_syntax_errors_are_refused_by_create(bench: Bench, body: str) -> None:
    with pytest.raises(ProgrammingError, match="syntax error"):
        procedure(bench, body)


# Variables


@pytest.mark.parametrize(
    ("declaration", "assigned", "held"),
    [
        ("NUMBER", "1.5", "2"),
        ("NUMBER(10, 2)", "1.005", "1.01"),
        ("NUMBER", "'12'", "12"),
        ("VARCHAR", "12", "12"),
        ("VARCHAR(3)", "'abc'", "abc"),
        ("BOOLEAN", "'true'", "true"),
        ("ARRAY", "'x'", '["x"]'),
        ("ARRAY", "7", "[7]"),
        ("VARIANT", "'x'", "x"),
        ("NUMBER", "NULL", None),
    ],
)
def test_a_variable_converts_what_it_is_given(bench: Bench, declaration: str, assigned: str, held: str | None) -> None:
    body = f"""DECLARE V_A {declaration} DEFAULT NULL; V_TEXT VARCHAR DEFAULT NULL;
        BEGIN V_A := {assigned}; V_TEXT := V_A; RETURN V_TEXT; END;"""
    assert answer(bench, body) == held


@pytest.mark.parametrize(
    ("declaration", "assigned"),
    [("VARCHAR(3)", "'abcd'"), ("OBJECT", "'x'"), ("OBJECT", "7"), ("NUMBER", "'x'"), ("NUMBER(2, 0)", "100")],
)
def test_a_variable_faults_at_what_it_cannot_hold(bench: Bench, declaration: str, assigned: str) -> None:
    message = fault(bench, f"DECLARE V_A {declaration} DEFAULT NULL; BEGIN V_A := {assigned}; RETURN 'x'; END;")
    assert "Uncaught exception of type 'EXPRESSION_ERROR'" in message


def test_select_into_converts_like_an_assignment(bench: Bench) -> None:
    body = "DECLARE V_A VARCHAR(2) DEFAULT NULL; BEGIN SELECT 'abc' INTO :V_A; RETURN V_A; END;"
    assert "Uncaught exception of type 'STATEMENT_ERROR'" in fault(bench, body)


def test_a_time_with_offset_loses_its_offset_in_a_variable_without(bench: Bench) -> None:
    procedure(
        bench,
        "DECLARE V_A TIMESTAMP_NTZ(6) DEFAULT NULL; BEGIN V_A := P_AT; RETURN V_A; END;",
        parameters="P_AT TIMESTAMP_TZ",
        returns="TIMESTAMP_NTZ(6)",
    )
    assert bench.execute("CALL P(?)", ["2026-01-01T10:00:00+05:30"]) == [(datetime(2026, 1, 1, 10),)]


def test_a_literal_types_a_variable_and_anything_else_has_to_say_its_type(bench: Bench) -> None:
    assert answer(bench, "BEGIN LET V_A := 1; V_A := 2.6; RETURN V_A; END;", "NUMBER") == 3
    procedure(bench, "BEGIN LET V_A := 1 + 1; RETURN V_A; END;")
    with pytest.raises(NotSupported, match="declare one"):
        bench.execute("CALL P()")


@pytest.mark.parametrize("condition", ["NULL", "1 = 2", "V_NULL = 1", "V_NULL"])
def test_if_is_true_for_true_only(bench: Bench, condition: str) -> None:
    body = (
        f"DECLARE V_NULL BOOLEAN DEFAULT NULL; BEGIN IF ({condition}) THEN RETURN 'yes'; ELSE RETURN 'no'; END IF; END;"
    )
    assert answer(bench, body) == "no"


def test_a_condition_that_is_no_boolean_is_not_guessed_at(bench: Bench) -> None:
    procedure(bench, "BEGIN IF ('yes') THEN RETURN 'yes'; END IF; RETURN 'no'; END;")
    with pytest.raises(NotSupported, match="no BOOLEAN"):
        bench.execute("CALL P()")


@pytest.mark.parametrize(
    ("rows_found", "says"), [("SELECT A FROM T", "no rows"), ("SELECT 1 UNION ALL SELECT 2", "2 rows")]
)
def test_select_into_takes_exactly_one_row(bench: Bench, rows_found: str, says: str) -> None:
    procedure(
        bench,
        f"DECLARE V_A NUMBER DEFAULT 0; BEGIN SELECT X.A INTO :V_A FROM ({rows_found}) AS X (A); END;",  # noqa: S608
    )
    assert says in refusal(bench, "CALL P()")


# Control flow


def test_loops_run_until_they_are_left(bench: Bench) -> None:
    body = """DECLARE V_SUM NUMBER DEFAULT 0; V_I NUMBER DEFAULT 0; BEGIN
        WHILE (V_I < 3) DO V_I := V_I + 1; V_SUM := V_SUM + V_I; END WHILE;
        LOOP
            V_I := V_I + 1;
            IF (V_I > 10) THEN BREAK; END IF;
            IF (V_I <> 7) THEN CONTINUE; END IF;
            V_SUM := V_SUM + 100;
        END LOOP;
        LET RS RESULTSET := (SELECT 1000 AS X UNION ALL SELECT 2000);
        FOR R IN RS DO V_SUM := V_SUM + R.X; END FOR;
        RETURN V_SUM; END;"""
    assert answer(bench, body, "NUMBER") == 3106


def test_the_first_true_branch_runs_and_no_other(bench: Bench) -> None:
    body = "BEGIN IF (1 = 2) THEN RETURN 'a'; ELSEIF (1 = 1) THEN RETURN 'b'; ELSE RETURN 'c'; END IF; END;"
    assert answer(bench, body) == "b"


def test_a_text_is_run_as_a_block_or_as_a_statement(bench: Bench) -> None:
    body = """DECLARE V_BLOCK VARCHAR DEFAULT 'BEGIN INSERT INTO T (A) SELECT 1; END;';
        V_ONE VARCHAR DEFAULT 'INSERT INTO T (A) SELECT 2'; BEGIN
        EXECUTE IMMEDIATE :V_BLOCK; EXECUTE IMMEDIATE V_ONE; RETURN 'x'; END;"""
    answer(bench, body)
    assert rows(bench) == [(1, None), (2, None)]


# Exceptions


def test_an_uncaught_exception_says_its_name_and_place(bench: Bench) -> None:
    procedure(bench, "DECLARE\n    Gone EXCEPTION (-20007, 'it''s \\\\ gone');\nBEGIN\n    RAISE gone;\nEND;")
    with pytest.raises(ProgrammingError) as raised:
        bench.execute("CALL P()")
    assert raised.value.msg is not None
    assert raised.value.msg.endswith("Uncaught exception of type 'GONE' on line 5 at position 4 : it's \\ gone")
    assert raised.value.errno == -20007


def test_an_exception_without_message_has_no_tail(bench: Bench) -> None:
    message = fault(bench, "DECLARE E EXCEPTION (-20001); BEGIN RAISE E; END;")
    assert message.split("position ")[1].isdigit()


def test_a_nested_call_wraps_the_text_of_what_it_raised(bench: Bench) -> None:
    procedure(bench, "DECLARE E EXCEPTION (-20003, 'inner'); BEGIN RAISE E; END;", name="Q")
    message = fault(bench, "BEGIN\n  CALL Q();\n  RETURN 'x'; END;")
    assert message.endswith(
        "Uncaught exception of type 'STATEMENT_ERROR' on line 3 at position 2 : "
        "Uncaught exception of type 'E' on line 2 at position 45 : inner"
    )


@pytest.mark.parametrize("code", ["-20999", "-20000"])
def test_an_exceptions_code_lies_between_the_bounds(bench: Bench, code: str) -> None:
    with pytest.raises(ProgrammingError, match=r"Must be between -20,999 and -20,000"):
        procedure(bench, f"DECLARE E EXCEPTION ({code}, 'x'); BEGIN RAISE E; END;")


@pytest.mark.parametrize("code", ["-30000", "-19999", "100"])
def test_an_exceptions_code_beyond_the_bounds_is_refused(bench: Bench, code: str) -> None:
    with pytest.raises(ProgrammingError):
        procedure(bench, f"DECLARE E EXCEPTION ({code}, 'x'); BEGIN RAISE E; END;")


@pytest.mark.parametrize(
    ("raised", "handled"),
    [("RAISE FIRST;", "first"), ("RAISE SECOND;", "other"), ("SELECT 1 / 3 FROM NO_TABLE;", "other")],
)
def test_the_handler_of_a_name_takes_that_exception_only(bench: Bench, raised: str, handled: str) -> None:
    body = f"""DECLARE FIRST EXCEPTION (-20001, 'a'); SECOND EXCEPTION (-20002, 'b'); BEGIN {raised} RETURN 'none';
        EXCEPTION WHEN FIRST THEN RETURN 'first'; WHEN OTHER THEN RETURN 'other'; END;"""
    assert answer(bench, body) == handled


def test_a_handler_that_does_not_raise_swallows(bench: Bench) -> None:
    body = """DECLARE E EXCEPTION (-20001, 'a'); V_A NUMBER DEFAULT 0;
        BEGIN BEGIN RAISE E; EXCEPTION WHEN OTHER THEN V_A := 5; END; RETURN V_A; END;"""
    assert answer(bench, body, "NUMBER") == 5


def test_a_bare_raise_raises_the_same_again(bench: Bench) -> None:
    message = fault(bench, "DECLARE E EXCEPTION (-20009, 'same'); BEGIN RAISE E; EXCEPTION WHEN OTHER THEN RAISE; END;")
    assert "type 'E'" in message
    assert message.endswith(": same")


@pytest.mark.parametrize(
    ("statement", "kind"),
    [
        ("V_A := 'x'::NUMBER(38, 0);", "EXPRESSION_ERROR"),
        ("INSERT INTO T (A) SELECT 'x'::NUMBER(38, 0);", "STATEMENT_ERROR"),
    ],
)
def test_faults_of_expressions_and_of_statements_differ_in_kind(bench: Bench, statement: str, kind: str) -> None:
    for caught in ("EXPRESSION_ERROR", "STATEMENT_ERROR"):
        procedure(
            bench,
            f"""DECLARE V_A NUMBER DEFAULT 0;
            BEGIN {statement} RETURN 'none'; EXCEPTION WHEN {caught} THEN RETURN 'caught'; END;""",
        )
        if caught == kind:
            assert bench.execute("CALL P()") == [("caught",)]
        else:
            assert f"type '{kind}'" in refusal(bench, "CALL P()")


def test_a_handler_sees_the_bare_message_code_and_state(bench: Bench) -> None:
    body = """DECLARE E EXCEPTION (-20011, 'bare');
        BEGIN RAISE E; EXCEPTION WHEN OTHER THEN RETURN SQLERRM || '/' || SQLCODE || '/' || SQLSTATE; END;"""
    assert answer(bench, body) == "bare/-20011/P0001"


def test_the_message_is_not_asked_for_outside_a_handler(bench: Bench) -> None:
    procedure(bench, "BEGIN RETURN SQLERRM; END;")
    with pytest.raises(NotSupported, match="outside a handler"):
        bench.execute("CALL P()")


def test_a_message_made_at_run_time_needs_an_executed_block(bench: Bench) -> None:
    text = 'it\'s \\ {"a": "$$;\\n"}'
    procedure(
        bench,
        """DECLARE V_BLOCK VARCHAR DEFAULT NULL; BEGIN
        SELECT 'DECLARE E EXCEPTION (-20005, ''' || REPLACE(REPLACE(:P_TEXT, CHR(92), CHR(92) || CHR(92)), '''', '''''')
            || '''); BEGIN RAISE E; END;' INTO :V_BLOCK;
        EXECUTE IMMEDIATE :V_BLOCK; END;""",
        parameters="P_TEXT VARCHAR",
    )
    with pytest.raises(ProgrammingError) as raised:
        bench.execute("CALL P(?)", [text])
    assert raised.value.msg is not None
    assert raised.value.msg.endswith(f": {text}")
    assert raised.value.errno == -20005


# What a procedure answers


def test_a_procedure_that_ends_without_return_answers_null(bench: Bench) -> None:
    assert answer(bench, "BEGIN INSERT INTO T (A) SELECT 1; END;") is None


def test_a_direct_return_takes_the_declared_type(bench: Bench) -> None:
    assert answer(bench, "DECLARE V_A VARCHAR DEFAULT '12'; BEGIN RETURN V_A; END;", "NUMBER") == 12


def test_a_return_within_if_keeps_its_own_type(bench: Bench) -> None:
    assert (
        answer(bench, "DECLARE V_A VARCHAR DEFAULT '12'; BEGIN IF (TRUE) THEN RETURN V_A; END IF; END;", "NUMBER")
        == "12"
    )


def test_text_returned_as_variant_becomes_a_json_string(bench: Bench) -> None:
    assert answer(bench, "BEGIN RETURN '{\"a\": 1}'; END;", "VARIANT") == '"{\\"a\\": 1}"'


def table(bench: Bench, columns: str, query: str) -> list[tuple[Any, ...]]:
    procedure(bench, f"BEGIN LET RS RESULTSET := ({query}); RETURN TABLE(RS); END;", returns=f"TABLE ({columns})")
    return bench.execute("CALL P()")


@pytest.mark.parametrize(
    ("columns", "query"),
    [
        ("X NUMBER", "SELECT 'a'::VARCHAR AS X"),
        ("X NUMBER", "SELECT 1.5::FLOAT AS X"),
        ("X VARCHAR", "SELECT 1 AS X"),
        ("X VARIANT", "SELECT OBJECT_CONSTRUCT('a', 1) AS X"),
        ("X VARIANT", "SELECT ARRAY_CONSTRUCT(1) AS X"),
        ("X TIMESTAMP_NTZ(6)", "SELECT '2026-01-01'::TIMESTAMP_NTZ AS X"),
        ("X TIMESTAMP_NTZ(6)", "SELECT '2026-01-01'::TIMESTAMP_LTZ(6) AS X"),
        ("X NUMBER, Y NUMBER", "SELECT 1 AS X"),
        ("X NUMBER", "SELECT 'a'::VARCHAR AS X WHERE 1 = 2"),
    ],
)
def test_a_returned_table_has_the_declared_families(bench: Bench, columns: str, query: str) -> None:
    with pytest.raises(ProgrammingError, match="data type of returned table does not match"):
        table(bench, columns, query)


def test_a_column_whose_type_does_not_show_is_not_guessed_at(bench: Bench) -> None:
    with pytest.raises(NotSupported, match="does not show"):
        table(bench, "X VARIANT", "SELECT CASE WHEN TRUE THEN PARSE_JSON('1') END AS X")


def test_declared_names_replace_the_querys_and_nothing_else_is_applied(bench: Bench) -> None:
    procedure(
        bench,
        "BEGIN LET RS RESULTSET := (SELECT 1.25::NUMBER(10, 2) AS A, 'abc'::VARCHAR AS B); RETURN TABLE(RS); END;",
        returns='TABLE (X NUMBER(38, 0), "CURSOR" VARCHAR(1))',
    )
    with bench.cursor() as cursor:
        cursor.execute("CALL P()")
        assert [column.name for column in cursor.description or ()] == ["X", "CURSOR"]
        [(number, text)] = cursor.fetchall()
    assert (str(number), text) == ("1.25", "abc")


@pytest.mark.parametrize(
    ("returns", "body"),
    [
        (
            "TABLE (X NUMBER)",
            """BEGIN INSERT INTO T (A) SELECT 1; IF (1 = 2) THEN RETURN NULL; END IF;
            LET RS RESULTSET := (SELECT 1 AS X); RETURN TABLE(RS); END;""",
        ),
        ("NUMBER", "BEGIN INSERT INTO T (A) SELECT 1; LET RS RESULTSET := (SELECT 1 AS X); RETURN TABLE(RS); END;"),
    ],
)
def test_a_return_of_the_wrong_shape_refuses_the_call_before_it_runs(bench: Bench, returns: str, body: str) -> None:
    procedure(bench, body, returns=returns)
    refusal(bench, "CALL P()")
    assert rows(bench) == []


def test_a_table_procedure_without_return_fails_after_it_ran(bench: Bench) -> None:
    procedure(bench, "BEGIN INSERT INTO T (A) SELECT 1; END;", returns="TABLE (X NUMBER)")
    refusal(bench, "CALL P()")
    assert rows(bench) == [(1, None)]


# Arguments


@pytest.mark.parametrize(
    ("parameter", "argument"),
    [
        ("VARIANT", "'x'"),
        ("VARIANT", "'2026-01-01'::DATE"),
        ("ARRAY", "OBJECT_CONSTRUCT('a', 1)"),
        ("ARRAY", "5"),
        ("OBJECT", "'x'"),
        ("OBJECT", "ARRAY_CONSTRUCT(1)"),
        ("OBJECT", "5"),
        ("VARCHAR", "OBJECT_CONSTRUCT('a', 1)"),
        ("VARCHAR", "ARRAY_CONSTRUCT(1)"),
        ("NUMBER", "TRUE"),
        ("NUMBER", "'2026-01-01'::DATE"),
        ("BOOLEAN", "'2026-01-01'::DATE"),
        ("TIMESTAMP_NTZ", "'2026-01-01T00:00:00Z'::TIMESTAMP_TZ"),
        ("TIMESTAMP_LTZ", "'2026-01-01T00:00:00Z'::TIMESTAMP_TZ"),
        ("TIMESTAMP_TZ", "5"),
        ("TIMESTAMP_LTZ", "TRUE"),
    ],
)
def test_an_argument_of_another_type_is_refused(bench: Bench, parameter: str, argument: str) -> None:
    procedure(bench, "BEGIN RETURN 'ok'; END;", parameters=f"P_A {parameter}")
    assert "Invalid argument types for function 'P'" in refusal(bench, f"CALL P({argument})")


@pytest.mark.parametrize(
    ("parameter", "argument"),
    [
        ("VARIANT", "PARSE_JSON('\"x\"')"),
        ("VARIANT", "5"),
        ("VARIANT", "TRUE"),
        ("VARIANT", "OBJECT_CONSTRUCT('a', 1)"),
        ("ARRAY", "ARRAY_CONSTRUCT(1)"),
        ("OBJECT", "PARSE_JSON('{}')"),
        ("VARCHAR", "PARSE_JSON('1')"),
        ("VARCHAR", "TRUE"),
        ("NUMBER", "'5'"),
        ("NUMBER", "1.5::FLOAT"),
        ("BOOLEAN", "5"),
        ("TIMESTAMP_TZ", "'2026-01-01T00:00:00Z'::TIMESTAMP_TZ"),
        ("TIMESTAMP_NTZ", "'2026-01-01'"),
        ("ARRAY", "NULL"),
        ("TIMESTAMP_TZ", "NULL"),
        ("NUMBER", "NULL"),
    ],
)
def test_an_argument_that_converts_is_taken(bench: Bench, parameter: str, argument: str) -> None:
    procedure(bench, "BEGIN RETURN 'ok'; END;", parameters=f"P_A {parameter}")
    assert bench.execute(f"CALL P({argument})") == [("ok",)]


def test_numbers_are_rounded_and_text_is_not_cut(bench: Bench) -> None:
    procedure(
        bench,
        "BEGIN RETURN P_N || '/' || P_D || '/' || P_T; END;",
        parameters="P_N NUMBER, P_D NUMBER(5, 2), P_T VARCHAR(2)",
    )
    assert bench.execute("CALL P(1.7777, '1.5', 'abc')") == [("2/1.50/abc",)]


def test_too_few_arguments_are_wrong_types_and_too_many_are_too_many(bench: Bench) -> None:
    procedure(bench, "BEGIN RETURN 'ok'; END;", parameters="P_A NUMBER, P_B NUMBER")
    assert "Invalid argument types for function 'P': (NUMBER(1,0))" in refusal(bench, "CALL P(5)")
    assert "too many arguments" in refusal(bench, "CALL P(5, 6, 7)")


def test_named_arguments_come_in_any_order_and_skip_defaults(bench: Bench) -> None:
    procedure(
        bench,
        "BEGIN RETURN P_A || P_B || P_C; END;",
        parameters="P_A VARCHAR, P_B VARCHAR DEFAULT 'b', P_C VARCHAR DEFAULT 'c'",
    )
    assert bench.execute("CALL P(P_C => 'z', P_A => 'x')") == [("xbz",)]
    assert bench.execute("CALL P('x', P_C => ?)", ["y"]) == [("xby",)]
    assert "named arguments [P_A] do not match any signature" in refusal(bench, "CALL P(P_A => 'x', P_X => 'y')")


def test_overloads_are_told_apart_by_their_types(bench: Bench) -> None:
    procedure(bench, "BEGIN RETURN 'variant'; END;", parameters="P_A VARIANT")
    procedure(bench, "BEGIN RETURN 'text'; END;", parameters="P_A VARCHAR, P_B VARCHAR")
    assert bench.execute("CALL P(PARSE_JSON('1'))") == [("variant",)]
    assert bench.execute("CALL P('a', 'b')") == [("text",)]


def test_an_unknown_procedure_is_refused(bench: Bench) -> None:
    assert "Unknown user-defined procedure NOBODY" in refusal(bench, "CALL NOBODY()")


def test_the_clauses_of_create_come_in_their_order(bench: Bench) -> None:
    for clauses in (
        "EXECUTE AS OWNER LANGUAGE SQL",
        "COMMENT = 'x' LANGUAGE SQL",
        "LANGUAGE SQL EXECUTE AS OWNER COMMENT = 'x'",
    ):
        with pytest.raises(ProgrammingError, match="syntax error"):
            bench.execute(f"CREATE PROCEDURE X() RETURNS VARCHAR {clauses} AS $$ BEGIN RETURN 'x'; END; $$")


# Tables


def test_declared_keys_of_a_standard_table_are_not_enforced_but_not_null_is(bench: Bench) -> None:
    bench.execute("CREATE TABLE K (A NUMBER, B NUMBER, CONSTRAINT K_PKEY PRIMARY KEY (A), UNIQUE (B))")
    bench.execute("INSERT INTO K (A, B) SELECT 1, 1 UNION ALL SELECT 1, 1")
    assert bench.execute("SELECT COUNT(*) AS N FROM K") == [(2,)]
    assert "NULL result in a non-nullable column" in refusal(bench, "INSERT INTO K (B) SELECT 1")


def test_keys_of_a_hybrid_table_are_enforced(bench: Bench) -> None:
    bench.execute("CREATE HYBRID TABLE K (A NUMBER NOT NULL, B NUMBER, PRIMARY KEY (A), UNIQUE (B), INDEX I (B))")
    bench.execute("INSERT INTO K (A, B) SELECT 1, 1")
    for again in ("SELECT 1, 2", "SELECT 2, 1"):
        assert "primary key already exists" in refusal(bench, f"INSERT INTO K (A, B) {again}")


@pytest.mark.parametrize(
    ("column", "written"),
    [
        ("VARIANT", "'{}'::VARCHAR"),
        ("ARRAY", "OBJECT_CONSTRUCT('a', 1)"),
        ("OBJECT", "ARRAY_CONSTRUCT(1)"),
        ("TIMESTAMP_NTZ(6)", "'2026-01-01T00:00:00Z'::TIMESTAMP_TZ"),
        ("NUMBER", "TRUE"),
        ("DATE", "1"),
    ],
)
def test_a_write_of_another_type_is_refused_even_without_rows(bench: Bench, column: str, written: str) -> None:
    bench.execute(f"CREATE TABLE W (A NUMBER, B {column})")
    merge = f"MERGE INTO W USING (SELECT 1 AS A, {written} AS B) AS S ON W.A = S.A"
    for statement in (
        f"INSERT INTO W (B) SELECT {written} WHERE 1 = 2",
        f"UPDATE W SET B = {written}",  # noqa: S608
        f"{merge} WHEN MATCHED THEN UPDATE SET B = S.B",
        f"{merge} WHEN NOT MATCHED THEN INSERT (B) VALUES (S.B)",  # noqa: S608
    ):
        assert "Expression type does not match column data type" in refusal(bench, statement)


@pytest.mark.parametrize(
    ("column", "written"),
    [
        ("VARIANT", "1"),
        ("VARIANT", "OBJECT_CONSTRUCT('a', 1)"),
        ("NUMBER", "'1'"),
        ("TIMESTAMP_NTZ(6)", "'2026-01-01'"),
    ],
)
def test_a_write_that_converts_is_taken(bench: Bench, column: str, written: str) -> None:
    bench.execute(f"CREATE TABLE W (B {column})")
    bench.execute(f"INSERT INTO W (B) SELECT {written}")
    assert bench.execute("SELECT COUNT(B) AS N FROM W") == [(1,)]


def test_a_merge_clause_that_can_never_be_reached_is_refused(bench: Bench) -> None:
    message = refusal(
        bench,
        "MERGE INTO T USING (SELECT 1 AS A) AS S ON T.A = S.A "
        "WHEN MATCHED THEN UPDATE SET B = 'x' WHEN MATCHED THEN UPDATE SET B = 'y'",
    )
    assert "unreachable" in message


def test_aggregated_arrays_leave_nulls_out_and_are_empty_for_nothing(bench: Bench) -> None:
    bench.execute("INSERT INTO T (A) SELECT 2 UNION ALL SELECT NULL UNION ALL SELECT 1")
    assert bench.execute("SELECT ARRAY_AGG(A) WITHIN GROUP (ORDER BY A) AS X FROM T") == [("[1,2]",)]
    assert bench.execute("SELECT ARRAY_AGG(A) AS X FROM T WHERE A > 9") == [("[]",)]


def test_nothing_counted_is_zero(bench: Bench) -> None:
    assert bench.execute("SELECT COUNT_IF(A = 1) AS X FROM T") == [(0,)]
    bench.execute("INSERT INTO T (A) SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT NULL")
    assert bench.execute("SELECT COUNT_IF(A = 1) AS X FROM T") == [(1,)]


def test_objects_leave_nulls_out_but_keep_json_null(bench: Bench) -> None:
    built = "SELECT OBJECT_CONSTRUCT('a', NULL, 'b', PARSE_JSON('null'), 'c', A, 'd', OBJECT_CONSTRUCT()) AS X FROM T"
    bench.execute("INSERT INTO T (A) SELECT 1")
    assert bench.execute(built) == [('{"b":null,"c":1,"d":{}}',)]


def test_the_clock_moves_within_a_transaction(bench: Bench) -> None:
    bench.execute("BEGIN TRANSACTION")
    [[before]] = bench.execute("SELECT SYSDATE() AS X")
    [[after]] = bench.execute("SELECT SYSDATE() AS X")
    bench.execute("ROLLBACK")
    assert before < after


# JavaScript


def javascript(bench: Bench, body: str, parameters: str, returns: str = "VARIANT") -> None:
    bench.execute(f"CREATE OR REPLACE FUNCTION F({parameters}) RETURNS {returns} LANGUAGE JAVASCRIPT AS $$ {body} $$")


@pytest.mark.parametrize(
    ("argument", "seen"),
    [
        ("NULL", "undefined"),
        ("PARSE_JSON('null')", "object"),
        ("PARSE_JSON('1')", "number"),
        ("PARSE_JSON('\"x\"')", "string"),
        ("PARSE_JSON('{}')", "object"),
    ],
)
def test_javascript_gets_native_values_and_undefined_for_null(bench: Bench, argument: str, seen: str) -> None:
    javascript(bench, "return typeof P_A;", "P_A VARIANT", "VARCHAR")
    assert bench.execute(f"SELECT F({argument}) AS X") == [(seen,)]


def test_undefined_is_sql_null_and_null_is_json_null(bench: Bench) -> None:
    javascript(bench, "return P_A ? null : undefined;", "P_A BOOLEAN")
    assert bench.execute("SELECT F(TRUE) AS X, F(FALSE) AS Y") == [("null", None)]


def test_javascript_works_over_aggregates_of_groups(bench: Bench) -> None:
    javascript(
        bench,
        "return {state: P_STATE, sum: P_EVENTS.reduce((a, b) => a * 10 + b, 0)};",
        "P_STATE VARIANT, P_EVENTS ARRAY",
    )
    bench.execute("INSERT INTO T (A, B) SELECT 1, 'x' UNION ALL SELECT 2, 'x' UNION ALL SELECT 3, 'y'")
    folded = "F(ANY_VALUE(TO_VARIANT(B)), ARRAY_AGG(A) WITHIN GROUP (ORDER BY A))"
    grouped = f"SELECT B, {folded} AS X FROM T GROUP BY B ORDER BY B"  # noqa: S608
    assert bench.execute(grouped) == [("x", '{"state":"x","sum":12}'), ("y", '{"state":"y","sum":3}')]


def test_a_fault_of_javascript_is_an_error_of_the_statement(bench: Bench) -> None:
    javascript(bench, "throw new Error('broken');", "P_A VARIANT")
    assert "JavaScript execution error: " in refusal(bench, "SELECT F(NULL) AS X")


def test_javascript_takes_no_numbers(bench: Bench) -> None:
    with pytest.raises(NotSupported, match="NUMBER"):
        javascript(bench, "return 1;", "P_A NUMBER")


def test_an_answer_that_holds_undefined_is_not_guessed_at(bench: Bench) -> None:
    javascript(bench, "return {a: undefined};", "P_A VARIANT")
    assert "undefined" in refusal(bench, "SELECT F(NULL) AS X")
