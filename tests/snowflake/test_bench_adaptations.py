"""The bench runs what is shipped: it changes only what a named adaptation changes, and has no other adaptations."""

from __future__ import annotations

import csv
import difflib
import json
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest
from bench.adaptations import ADAPTATIONS, NAMES, RUNNER, adapt, tokens_of
from bench.database import shipped_files, split_statements
from bench.routines import parse_routine
from bench.script import Fragment
from fakesnow.cursor import FakeSnowflakeCursor
from shipped import SOURCES
from snowflake.connector.errors import ProgrammingError
from sqlglot.tokens import TokenType

from bench import Adapted, Bench, NotSupported, engine

# The words that an adaptation takes out of a statement, and those that it puts in.
WORDS: dict[str, tuple[set[str], set[str]]] = {
    "object-construct": ({"OBJECT_CONSTRUCT"}, {"BENCH_OBJECT", "BENCH_PAIR", "PARSE_JSON", "{}"}),
    "object-insert": ({"OBJECT_INSERT"}, {"BENCH_INSERT"}),
    "array-construct": ({"ARRAY_CONSTRUCT"}, {"BENCH_ARRAY", "BENCH_ELEMENT", "PARSE_JSON", "[]"}),
    "array-contains": ({"ARRAY_CONTAINS"}, {"BENCH_CONTAINS"}),
    "array-agg": (
        {"ARRAY_AGG", "WITHIN", "GROUP", "ORDER BY"},
        {"BENCH_ARRAY_AGG_0", "BENCH_ARRAY_AGG_1", "BENCH_ARRAY_AGG_2"},
    ),
    "utc-text": ({"TO_VARCHAR", 'YYYY-MM-DD"T"HH24:MI:SS.FF6"Z"'}, {"BENCH_UTC_TEXT"}),
    "utc-time": ({"TO_TIMESTAMP_NTZ", 'YYYY-MM-DD"T"HH24:MI:SS.FF6"Z"'}, {"BENCH_UTC_TIME"}),
    "sysdate": ({"SYSDATE"}, {"BENCH_SYSDATE"}),
    "current-user": ({"CURRENT_USER"}, {"BENCH_CURRENT_USER"}),
    "count-if": ({"COUNT_IF"}, {"COUNT", "CASE", "WHEN", "THEN", "1", "END"}),
    "typeof": ({"TYPEOF"}, {"BENCH_TYPEOF"}),
    "own-names": ({"VERSION"}, {"OWN_VERSION"}),
}
# In definitions of tables, what is taken out begins with one of these words.
DEFINITIONS = {
    "unenforced-keys": {"CONSTRAINT", "PRIMARY", "UNIQUE", "FOREIGN"},
    "hybrid-tables": {"HYBRID", "INDEX"},
}


def words(text: str) -> list[str]:
    """The words of a statement, in order, without brackets and commas."""
    punctuation = (
        TokenType.L_PAREN,
        TokenType.R_PAREN,
        TokenType.L_BRACKET,
        TokenType.R_BRACKET,
        TokenType.COMMA,
    )
    return [token.text for token in tokens_of(text) if token.token_type not in punctuation]


def fragments(node: object) -> Iterator[Fragment]:
    """Every piece of SQL in a parsed body."""
    if isinstance(node, Fragment):
        yield node
    elif isinstance(node, tuple):
        for each in node:
            yield from fragments(each)
    elif is_dataclass(node):
        for each in fields(node):
            yield from fragments(getattr(node, each.name))


def shipped_texts() -> list[str]:
    """Every statement of every shipped file, and for a routine every statement and expression of its body."""
    texts = []
    for path in sorted(SOURCES.rglob("*.sql")):
        for statement in split_statements(path.read_text(encoding="utf-8")):
            if re.match(r"CREATE OR REPLACE (PROCEDURE|FUNCTION)", statement):
                routine = parse_routine(statement)
                if routine.language == "SQL" and routine.block is None:
                    texts.append(f"SELECT {routine.body.strip()}")
                texts.extend(
                    text
                    if text.split()[0] in ("SELECT", "WITH", "MERGE", "INSERT", "UPDATE", "DELETE", "COPY")
                    else f"SELECT {text}"
                    for text in (fragment.text for fragment in fragments(routine.block) if fragment.text)
                )
            else:
                texts.append(statement)
    return texts


TEXTS = shipped_texts()


def test_a_text_is_changed_exactly_when_an_adaptation_is_named() -> None:
    for text in TEXTS:
        adapted, names = adapt(text)
        assert (adapted == text) == (names == ())


def test_an_adaptation_exchanges_its_own_words_and_leaves_all_others_in_their_order() -> None:
    seen = set()
    for text in TEXTS:
        adapted, names = adapt(text)
        if text.startswith("CREATE"):
            continue
        seen |= set(names)
        taken, put = set[str](), set[str]()
        for name in names:
            taken |= WORDS[name][0]
            put |= WORDS[name][1]
        assert [word for word in words(text) if word not in taken | put] == [
            word for word in words(adapted) if word not in taken | put
        ]
        assert not {word for word in put if word.startswith(("BENCH_", "OWN_"))} & set(words(text))
    assert {"object-construct", "array-agg", "utc-text", "sysdate"} <= seen


def test_from_a_definition_only_what_is_named_is_taken_out() -> None:
    seen = set()
    for text in TEXTS:
        if not text.startswith("CREATE"):
            continue
        adapted, names = adapt(text)
        seen |= set(names)
        rewritten = [name for name in names if name not in DEFINITIONS]
        before, after = words(text), words(adapted)
        for name in rewritten:
            before = [word for word in before if word not in WORDS[name][0] | WORDS[name][1]]
            after = [word for word in after if word not in WORDS[name][0] | WORDS[name][1]]
        begins = {word for name in names if name in DEFINITIONS for word in DEFINITIONS[name]}
        for kind, start, end, _from, _to in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
            assert kind in ("equal", "delete")
            assert kind == "equal" or before[start] in begins, before[start:end]
    assert set(DEFINITIONS) <= seen


def test_every_adaptation_says_why() -> None:
    assert len(NAMES) == len(RUNNER) + len(ADAPTATIONS)
    assert all(adaptation.why.endswith(".") for adaptation in ADAPTATIONS)
    assert all(why.endswith(".") for why in RUNNER.values())


@pytest.mark.parametrize(
    ("text", "adapted"),
    [
        ("SELECT 'OBJECT_CONSTRUCT(1, 2)' AS X -- SYSDATE()", None),
        ("SELECT T.VERSION AS X FROM T", None),
        ('SELECT "TYPEOF"(1) AS X', None),
        ("SELECT VERSIONS(1) AS X", None),
        (
            "SELECT OBJECT_CONSTRUCT('a', F(1, 2), 'b,(', [1]) AS X",
            "SELECT BENCH_OBJECT([BENCH_PAIR('a', F(1, 2)), BENCH_PAIR('b,(', [1])]) AS X",
        ),
        (
            "SELECT OBJECT_CONSTRUCT('a', OBJECT_CONSTRUCT()) AS X",
            "SELECT BENCH_OBJECT([BENCH_PAIR('a', PARSE_JSON('{}'))]) AS X",
        ),
        ("SELECT ARRAY_AGG(X) WITHIN GROUP (ORDER BY A, F(B)) FROM T", "SELECT BENCH_ARRAY_AGG_2(X, A, F(B)) FROM T"),
        ("CREATE TABLE T (A VARCHAR COMMENT 'TYPEOF(x), UNIQUE (A)', B NUMBER)", None),
    ],
)
def test_calls_are_found_by_their_tokens(text: str, adapted: str | None) -> None:
    assert adapt(text)[0] == (text if adapted is None else adapted)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT ARRAY_AGG(DISTINCT X) FROM T",
        "SELECT ARRAY_AGG(X) WITHIN GROUP (ORDER BY X DESC) FROM T",
        "SELECT ARRAY_AGG(X) OVER (PARTITION BY Y) FROM T",
        "SELECT TO_VARCHAR(X, 'YYYY') FROM T",
        "SELECT OBJECT_CONSTRUCT(*) FROM T",
        "CREATE TABLE T (A NUMBER PRIMARY KEY)",
    ],
)
def test_what_an_adaptation_does_not_know_is_refused(text: str) -> None:
    with pytest.raises(NotSupported):
        adapt(text)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT SUM(A) AS X FROM T",
        "SELECT A / B AS X FROM T",
        "SELECT V:a = 'x' AS X FROM T",
        "SELECT V:a || 'x' AS X FROM T",
        "SELECT COUNT(*) AS X FROM T GROUP BY V:a",
        "SELECT MIN(V:a) AS X FROM T",
        "SELECT LEFT(V:a, 2) AS X FROM T",
        "SELECT A FROM T ORDER BY V:a",
        "SELECT 'x'::VARIANT AS X",
        "SELECT '2026-01-01T00:00:00+02:00'::TIMESTAMP_TZ::TIMESTAMP_NTZ AS X",
        "SELECT OBJECT_CONSTRUCT('a', '2026-01-01'::TIMESTAMP_NTZ) AS X",
        "SELECT OBJECT_CONSTRUCT(V, 1) AS X FROM T",
    ],
)
def test_what_duckdb_would_answer_otherwise_without_a_word_is_refused(text: str) -> None:
    with Bench() as bench:
        bench.execute("CREATE TABLE T (A NUMBER, B NUMBER, V VARIANT)")
        bench.execute("INSERT INTO T (A, V) SELECT 1, PARSE_JSON('\"k\"')")
        with pytest.raises(NotSupported):
            bench.execute(text)


# What a whole life of a store hands to fakesnow


def event(run: str, kind: str, **more: Any) -> dict[str, Any]:
    return {
        "runId": run,
        "eventType": kind,
        "emittedAt": "2026-02-16T09:30:00Z",
        "tenantId": "t",
        "projectId": "p",
        "environmentId": "e",
        "planId": "plan",
        "planVersion": "1",
        **more,
    }


def call(bench: Bench, statement: str, *values: Any) -> list[tuple[Any, ...]]:
    return bench.execute(statement, values)


def refuse(bench: Bench, statement: str, *values: Any) -> None:
    with pytest.raises(ProgrammingError):
        bench.execute(statement, values)


def live(bench: Bench) -> None:
    """A store's life: appends, refusals, a conflict, projections, reads, an archive."""
    batch = [event("r", "RunStarted"), event("r", "StepStarted", stepId="s"), event("q", "RunPaused")]
    call(bench, "CALL APPEND_EVENTS(PARSE_JSON(?))", json.dumps(batch))
    call(bench, "CALL APPEND_EVENT(PARSE_JSON(?))", json.dumps(event("r", "RunStarted", payload={"n": 1})))
    typed = "'t', 'p', 'e', 'plan', '1', P_PAYLOAD => PARSE_JSON('{}')"
    call(bench, f"CALL APPEND_EVENT('r', 'RunCompleted', TO_TIMESTAMP_TZ('2026-02-16T10:00:00+01:00'), {typed})")
    refuse(bench, "CALL APPEND_EVENT(PARSE_JSON(?))", json.dumps(event("r", "StepStarted")))
    refuse(bench, "CALL APPEND_EVENT(PARSE_JSON(?))", json.dumps(event("r", "RunStarted", tenantId="other")))
    call(bench, "CALL PROJECT_PENDING()")
    for statement in (
        "CALL GET_SNAPSHOT('r')",
        "CALL PROJECT_SNAPSHOT('r')",
        "CALL REPLAY_SNAPSHOT('r', 1)",
        "CALL RESYNC_RUN('r')",
        "CALL FETCH_EVENTS('r')",
        "CALL LIST_RUNS(P_STATUS => 'COMPLETED')",
        "CALL LIST_ALERTS()",
        "CALL VERIFY_RUN('r')",
        "CALL SET_CONFIG_VALUE('max_signals_per_minute', '10')",
        "CALL BIND_LOGIN('SOMEBODY', 't')",
        "CALL UNBIND_LOGIN('SOMEBODY', 't')",
        "CALL ARCHIVE_RUNS(0)",
    ):
        call(bench, statement)
    [[alert]] = call(bench, "SELECT MIN(ALERT_ID) AS X FROM ALERTS")
    call(bench, "CALL ACK_ALERT(?)", alert)
    call(bench, "CALL RESOLVE_ALERT(?)", alert)
    call(bench, "SELECT VERSION() AS X, CURRENT_TRANSACTION() AS Y")


def import_files(bench: Bench, directory: Path) -> None:
    """The same events, by another run's name, from a CSV and from a Parquet file."""
    with bench.cursor() as cursor:
        cursor.execute("CALL FETCH_EVENTS('r')")
        names = [column.name.lower() for column in cursor.description or ()]
        found = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
    lines = [{**row, "run_id": "csv"} for row in found]
    with (directory / "events.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, names)
        writer.writeheader()
        writer.writerows({name: "" if value is None else value for name, value in row.items()} for row in lines)
    table = pyarrow.Table.from_pylist([{**row, "run_id": "parquet"} for row in found])
    pyarrow.parquet.write_table(table, directory / "events.parquet")
    call(bench, f"PUT file://{directory}/events.csv @IMPORT_STAGE/csv")
    call(bench, f"PUT file://{directory}/events.parquet @IMPORT_STAGE/parquet AUTO_COMPRESS = FALSE")
    for kind in ("CSV", "PARQUET"):
        [[answer]] = call(bench, "CALL IMPORT_EVENTS(?)", kind)
        assert json.loads(answer)["imported"] == len(found)


@pytest.fixture(scope="module")
def handed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[list[Adapted], set[str]]]:
    """What two stores logged, and the texts that really reached fakesnow."""
    texts: set[str] = set()
    translate, execute = engine.Session._translate, FakeSnowflakeCursor.execute

    def translating(self: engine.Session, text: str) -> Any:
        texts.add(text)
        return translate(self, text)

    def executing(self: FakeSnowflakeCursor, command: str, *rest: Any, **named: Any) -> Any:
        texts.add(command)
        return execute(self, command, *rest, **named)

    logged: list[Adapted] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine, "_TRANSLATIONS", {})
        patch.setattr(engine.Session, "_translate", translating)
        patch.setattr(FakeSnowflakeCursor, "execute", executing)
        for variant in ("standard", "hybrid"):
            with Bench() as bench:
                for path in shipped_files(variant):
                    bench.script(path.read_text(encoding="utf-8"))
                live(bench)
                import_files(bench, tmp_path_factory.mktemp(variant))
                logged.extend(bench.adapted)
    yield logged, texts


def test_the_log_holds_what_fakesnow_got(handed: tuple[list[Adapted], set[str]]) -> None:
    logged, texts = handed
    assert {entry.handed for entry in logged if entry.handed is not None} == texts


def test_what_was_handed_on_is_shipped_text(handed: tuple[list[Adapted], set[str]]) -> None:
    shipped = "\n".join(path.read_text(encoding="utf-8") for path in SOURCES.rglob("*.sql"))
    for entry in handed[0]:
        if entry.procedure is not None and not entry.shipped.startswith("DECLARE REFUSED"):
            assert entry.shipped in shipped


def test_what_no_adaptation_touched_was_handed_on_as_it_is(handed: tuple[list[Adapted], set[str]]) -> None:
    untouched = [entry for entry in handed[0] if not entry.names]
    assert len(untouched) > 10
    for entry in untouched:
        assert entry.handed in (entry.shipped, f"SELECT {entry.shipped}")


def test_variables_are_the_only_difference_where_only_they_were_bound(
    handed: tuple[list[Adapted], set[str]],
) -> None:
    runner = {"bind-variables", "select-into", "merge-natively"}
    bound = [entry for entry in handed[0] if entry.names and set(entry.names) <= runner and entry.procedure]
    assert len(bound) > 20
    for entry in bound:
        shipped = (
            re.sub(r"\bINTO\s+:\w+(,\s*:\w+)*", "", entry.shipped) if "select-into" in entry.names else entry.shipped
        )
        assert entry.handed is not None
        handed_on = re.sub(r"CAST\(\? AS \w+(\(\d+, \d+\))?\)", "?", entry.handed).split()
        variables = re.sub(r":?\b[VP]_\w+|\bSQLROWCOUNT\b", "?", shipped).split()
        assert handed_on in (variables, ["SELECT", *variables])


def test_the_list_of_adaptations_is_closed_and_none_is_unused(handed: tuple[list[Adapted], set[str]]) -> None:
    assert {name for entry in handed[0] for name in entry.names} == NAMES
