"""Concurrent appends, explored: what the shipped statements do in every order, and what they would do without a guard.

No account is needed and none is replaced: locks, snapshots and commits are modelled, the statements are read from the
files that ship. `python tests/snowflake/explorer` prints it as tables.
"""

from __future__ import annotations

import functools

import pytest
from explorer import invariants
from explorer.catalog import Catalog
from explorer.machine import INCOMPLETE, NOT_GOT
from explorer.program import Look, Merge, NotModelled, Program, TouchAll
from explorer.reader import RACED, read_procedure
from explorer.report import VARIANTS, Verdict, judge, program_of, shipped, shipped_table, with_faults
from explorer.rules import ANYTHING, DOCUMENTED, Rules, combinations, departing
from explorer.scenarios import SCENARIOS, Scenario
from explorer.search import Counterexample
from explorer.ways import DUPLICATE
from explorer.weakened import weakened

# Fewer states than these mean that something is not explored any more.
FEWEST = {("standard", 2): 200, ("standard", 3): 700, ("hybrid", 2): 300, ("hybrid", 3): 1200}

RULES = {
    "as-documented": DOCUMENTED,
    "a-keeps-its-snapshot": departing("a"),
    "b-no-row-no-lock": departing("b"),
    "c-inserts-do-not-lock": departing("c"),
    "d-reads-are-old": departing("d"),
    "g-locks-cover-rows": departing("g"),
    "all-of-them": departing("abcdg"),
    "any-of-them": ANYTHING,
}


def scenario(name: str) -> Scenario:
    return next(each for each in SCENARIOS if each.name == name)


@functools.cache
def verdict_of(variant: str, clients: int, rules: str) -> Verdict:
    """Return what comes of all scenarios with what ships."""
    return judge(shipped(variant), RULES[rules], clients)


def broken(name: str, rules: Rules) -> dict[str, Counterexample]:
    """Return what a weakened sequence breaks with two sessions, and the shortest schedule for each."""
    found: dict[str, Counterexample] = {}
    for _, example in judge(weakened()[name], rules, 2).broken:
        if example.invariant not in found or len(example.schedule) < len(found[example.invariant].schedule):
            found[example.invariant] = example
    return found


# What ships ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("clients", [2, 3])
@pytest.mark.parametrize("variant", VARIANTS)
def test_every_invariant_holds_in_every_order(variant: str, clients: int, rules: str) -> None:
    verdict = verdict_of(variant, clients, rules)
    assert not verdict.broken, "\n".join(f"{name}: {found}" for name, found in verdict.broken)
    assert verdict.states >= FEWEST[variant, clients]


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_invariant_holds_under_every_combination_of_doubtful_rules(variant: str) -> None:
    for letters in combinations():
        verdict = judge(shipped(variant), departing(letters), 2)
        assert not verdict.broken, letters + "\n".join(f"{name}: {found}" for name, found in verdict.broken)
        assert verdict.states >= FEWEST[variant, 2]


@pytest.mark.parametrize("rules", ["as-documented", "any-of-them"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_every_invariant_holds_while_a_client_dies_and_waits_fail(variant: str, rules: str) -> None:
    verdict = judge(shipped(variant), with_faults(RULES[rules]), 2)
    assert not verdict.broken, "\n".join(f"{name}: {found}" for name, found in verdict.broken)
    assert verdict.states >= 10 * FEWEST[variant, 2]
    assert verdict.errors[NOT_GOT]


@pytest.mark.parametrize("rules", RULES)
def test_one_append_at_a_time_is_under_the_lock(rules: str) -> None:
    assert verdict_of("standard", 3, rules).most_inside == 1


def test_on_hybrid_tables_appends_to_different_runs_go_side_by_side() -> None:
    assert judge(shipped("hybrid"), DOCUMENTED, 3, [scenario("different runs")]).most_inside == 3
    assert judge(shipped("hybrid"), DOCUMENTED, 3, [scenario("different events, of a run")]).most_inside == 1


def test_appends_that_have_nothing_in_common_interleave_in_every_way() -> None:
    """Each stands before its lock, its plan, its two MERGEs or its COMMIT, or behind it, whatever the others do."""
    assert judge(shipped("hybrid"), DOCUMENTED, 3, [scenario("different runs")]).states == 6**3


def test_nobody_is_sent_back_where_the_documentation_holds() -> None:
    assert not judge(shipped("standard"), DOCUMENTED, 3, SCENARIOS).errors


def test_who_decides_by_an_old_snapshot_is_sent_back() -> None:
    assert set(judge(shipped("standard"), departing("d"), 3, SCENARIOS).errors) == {RACED}


def test_opposite_batches_can_deadlock_on_hybrid_tables_and_both_come_through() -> None:
    opposite = [scenario("two runs in opposite order")]
    verdict = judge(shipped("hybrid"), DOCUMENTED, 2, opposite)
    assert verdict.errors[NOT_GOT]
    assert not verdict.broken
    assert not judge(shipped("standard"), DOCUMENTED, 2, opposite).errors


def test_two_sessions_that_begin_a_run_can_meet_at_its_key_on_hybrid_tables() -> None:
    verdict = judge(shipped("hybrid"), departing("a"), 2, [scenario("the same event, of a new run")])
    assert set(verdict.errors) == {DUPLICATE}
    assert not verdict.broken


def test_without_its_row_the_lock_lets_nobody_in() -> None:
    locked_out = Scenario("no row", scenario("different runs").clients, lock_rows=0)
    verdict = judge(shipped("standard"), ANYTHING, 2, [locked_out])
    assert not verdict.broken
    assert set(verdict.errors) == {"LOCK_IS_GONE"}


# What is read from the files ----------------------------------------------------------------------------------------


def test_the_plan_reads_the_counters_the_log_and_the_archive() -> None:
    (look,) = (each for each in program_of(shipped("standard")).instructions if isinstance(each, Look))
    assert look.ends == ("RUN_COUNTERS",)
    assert look.known == ("RUN_EVENTS", "RUN_EVENTS_ARCHIVE")


def test_the_first_statement_is_the_lock() -> None:
    def statements(program: Program) -> list[TouchAll | Look | Merge]:
        return [each for each in program.instructions if isinstance(each, TouchAll | Look | Merge)]

    assert [getattr(each, "table", "") for each in statements(program_of(shipped("standard")))] == [
        "APPEND_LOCK", "", "RUN_COUNTERS", "RUN_EVENTS", "ALERTS",
    ]  # fmt: skip
    assert [getattr(each, "table", "") for each in statements(program_of(shipped("hybrid")))] == [
        "RUN_LOCKS", "", "RUN_COUNTERS", "RUN_EVENTS", "ALERTS",
    ]  # fmt: skip


def test_keys_hold_on_hybrid_tables_only() -> None:
    keys = {table.name: table.keys for table in shipped("hybrid").tables() if table.is_hybrid}
    assert keys == {
        "RUN_COUNTERS": (("RUN_ID",),),
        "RUN_EVENTS": (("RUN_ID", "RUN_SEQ"), ("RUN_ID", "IDEMPOTENCY_KEY"), ("RUN_ID", "EVENT_ID")),
        "RUN_LOCKS": (("RUN_ID",),),
    }
    assert not any(table.keys for table in shipped("standard").tables())


PROCEDURE = """CREATE OR REPLACE PROCEDURE STORE_EVENTS(P_EVENTS VARIANT, P_IS_BATCH BOOLEAN)
RETURNS VARIANT
LANGUAGE SQL
EXECUTE AS OWNER
AS
$$
DECLARE
    V_ROWS NUMBER DEFAULT 0;
BEGIN
    BEGIN TRANSACTION;
    {}
    COMMIT;
    RETURN V_ROWS;
END;
$$;
"""


@pytest.mark.parametrize(
    ("statement", "why"),
    [
        ("DELETE FROM RUN_EVENTS WHERE RUN_SEQ = 1;", "not chosen by an array of runs"),
        ("UPDATE RUN_COUNTERS SET LAST_SEQ = LAST_SEQ + 1;", "an UPDATE that is not the lock's"),
        ("UPDATE APPEND_LOCK SET TIMES_TAKEN = 1 WHERE TIMES_TAKEN = 0;", "an UPDATE that is not the lock's"),
        ("INSERT INTO CONFIG (MAX_PAYLOAD_BYTES) SELECT 1 AS N;", "writes CONFIG"),
        ("SELECT MAX(E.RUN_SEQ) INTO :V_ROWS FROM RUN_EVENTS AS E;", "reads RUN_EVENTS, and is no plan"),
        ("SELECT MAX(E.X) INTO :V_ROWS FROM ELSEWHERE AS E;", "ELSEWHERE is no table or view"),
        ("EXECUTE IMMEDIATE 'SELECT 1';", "ExecuteImmediate"),
        ("WHILE (V_ROWS < 1) DO V_ROWS := 1; END WHILE;", "While"),
        ("CALL PROJECT_PENDING_TASK();", "PROJECT_PENDING_TASK is no object of the store"),
        ("IF (SQLROWCOUNT = 1) THEN ROLLBACK; END IF;", "the variable SQLROWCOUNT"),
        (
            "MERGE INTO RUN_EVENTS AS T USING (SELECT A.VALUE:runId::VARCHAR AS R"
            " FROM TABLE(FLATTEN(INPUT => :P_EVENTS)) AS A) AS S ON T.RUN_ID = S.R OR T.RUN_SEQ = 1"
            " WHEN NOT MATCHED THEN INSERT (RUN_ID) VALUES (S.R);",
            "the condition",
        ),
        (
            "MERGE INTO RUN_EVENTS AS T USING (SELECT UUID_STRING() AS R FROM TABLE(FLATTEN(INPUT => :P_EVENTS)) AS A)"
            " AS S ON T.RUN_ID = S.R WHEN NOT MATCHED THEN INSERT (RUN_ID) VALUES (S.R);",
            "the model does not compute R",
        ),
    ],
)
def test_a_statement_that_the_model_does_not_know_is_refused(statement: str, why: str) -> None:
    with pytest.raises(NotModelled, match=why):
        read_procedure(Catalog.shipped(STORE_EVENTS=PROCEDURE.format(statement)), "STORE_EVENTS")


@pytest.mark.parametrize(
    ("expression", "instead"),
    [
        ("COALESCE(R.LAST_SEQ, 0)", "COALESCE(R.LAST_SEQ, 1)"),
        ("COALESCE(P.KNOWN_SEQ, P.SEEN_SEQ + P.NTH)", "P.SEEN_SEQ + P.NTH"),
        ("LEFT JOIN KNOWN AS K ON S.RUN_ID = K.RUN_ID AND", "LEFT JOIN KNOWN AS K ON"),
        ("FROM JUDGED AS J", "FROM JUDGED AS J WHERE J.IDX = 0"),
        ("LEFT JOIN RUN_COUNTERS AS R", "LEFT JOIN RUN_EVENTS AS R"),
    ],
)
def test_a_plan_that_means_something_else_is_refused(expression: str, instead: str) -> None:
    text = weakened()["MERGE without a lock, standard"].texts["STORE_EVENTS"]
    assert text.count(expression) == 1
    with pytest.raises(NotModelled):
        read_procedure(Catalog.shipped(STORE_EVENTS=text.replace(expression, instead)), "STORE_EVENTS")


def test_a_change_outside_of_a_transaction_is_refused() -> None:
    text = PROCEDURE.format("").replace("BEGIN TRANSACTION;", "UPDATE APPEND_LOCK SET TIMES_TAKEN = TIMES_TAKEN + 1;")
    with pytest.raises(NotModelled, match="outside of a transaction"):
        judge(Catalog.shipped(STORE_EVENTS=text), DOCUMENTED, 2)


# What a guard is for ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "letters", "expected"),
    [
        ("the greatest number plus one, standard", "", {invariants.ONE_ROW, invariants.NUMBERS}),
        ("MERGE without a lock, standard", "", {invariants.ACKNOWLEDGED, invariants.NUMBERS}),
        ("MERGE without a lock, hybrid", "", {invariants.ACKNOWLEDGED}),
        ("MERGE over what is there, standard", "", {invariants.STAYS}),
        ("MERGE with columns mixed up, standard", "", {invariants.SENT}),
        ("alerts count the last conflict only, standard", "", {invariants.ALERTS}),
        ("no lock, standard", "a", {invariants.NUMBERS, invariants.ARCHIVED}),
        ("no lock, standard", "c", {invariants.ONE_ROW, invariants.NUMBERS}),
        ("the counter moves from any value, standard", "d", {invariants.NUMBERS}),
        ("nothing is counted, standard", "d", {invariants.NUMBERS, invariants.COUNTER, invariants.ACKNOWLEDGED}),
        ("nothing is counted, hybrid", "d", {invariants.COUNTER, invariants.ACKNOWLEDGED}),
        ("the counter of an archived run moves, standard", "d", {invariants.ARCHIVED}),
        ("the counter of an archived run moves, hybrid", "d", {invariants.ARCHIVED}),
        ("the archive is not probed, standard", "", {invariants.REFUSED}),
        ("the handler does not raise, standard", "d", {invariants.ACKNOWLEDGED}),
        ("no COMMIT, standard", "", {invariants.ENDS}),
        ("the counter is the lock, hybrid", "a", {invariants.COUNTER, invariants.ARCHIVED}),
    ],
)
def test_a_sequence_without_a_guard_is_caught(name: str, letters: str, expected: set[str]) -> None:
    found = broken(name, departing(letters))
    assert expected <= set(found), found
    for invariant in expected - {invariants.ENDS}:
        assert found[invariant].schedule[-1].split(": ")[0] in ("A", "B"), found[invariant]


def test_the_schedule_that_breaks_something_can_be_read() -> None:
    example = broken("the greatest number plus one, standard", DOCUMENTED)[invariants.ONE_ROW]
    assert str(example).splitlines() == [
        "broken: one row for each run and key (r1.k1 is stored 2 times)",
        "  1. A: SELECT plans r1.k1 as 1",
        "  2. A: INSERT INTO RUN_EVENTS, 1 row",
        "  3. B: SELECT plans r1.k1 as 1",
        "  4. A: COMMIT, and answers",
        "  5. B: INSERT INTO RUN_EVENTS, 1 row",
        "  6. B: COMMIT, and answers",
    ]


@pytest.mark.parametrize("letters", ["", "b", "d", "g", "bdg"])
def test_without_the_lock_the_other_guards_hold_while_statements_read_again_and_inserts_lock(letters: str) -> None:
    assert not broken("no lock, standard", departing(letters))


@pytest.mark.parametrize(
    "name",
    [
        "the events are not counted, standard",
        "the events are not counted, hybrid",
        "the lock after the plan, standard",
        "the lock after the plan, hybrid",
        "the counter moves from any value, hybrid",
    ],
)
def test_a_second_line_of_defence_is_not_missed_in_any_order(name: str) -> None:
    """Without these every invariant holds: they stand in the sequence for what the model may not know."""
    assert not broken(name, DOCUMENTED)
    assert not broken(name, ANYTHING)


def test_a_call_that_leaves_its_transaction_open_fails_and_stores_nothing() -> None:
    verdict = judge(weakened()["no COMMIT, standard"], DOCUMENTED, 2, [scenario("different runs")])
    assert set(verdict.errors) == {INCOMPLETE}
    assert [found.schedule for _, found in verdict.broken] == [()]


def test_the_table_has_a_row_for_each_rule_set() -> None:
    lines = list(shipped_table((2,), [scenario("different runs")]))
    assert len({line.count("|") for line in lines}) == 1
    assert len(lines) == 12
    assert all(cell.strip().endswith("states, holds") for line in lines[2:] for cell in line.split("|")[2:-1])
