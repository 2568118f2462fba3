"""Every shipped Snowflake file parses, the bodies between $$ included, and says what each file has to say.

The SQL linter takes a body for one text and never looks into it.
"""

import functools
import itertools
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from bench.javascript import new_engine
from py_mini_racer import JSEvalException
from shipped import BOOKS, HYBRID, ROOT, SOURCES, STANDARD, code_of, opening_comment, ordered, statements
from sqlfluff.core import FluffConfig, Lexer, Parser
from sqlfluff.core.parser import BaseSegment

FILES = [*sorted(SOURCES.rglob("*.sql")), *sorted(STANDARD.glob("*.sql")), *sorted(HYBRID.glob("*.sql")), BOOKS]
CONFIG = FluffConfig(overrides={"dialect": "snowflake"})
BODY = re.compile(r"\$\$(.*?)\$\$", re.DOTALL)
ROUTINE = re.compile(
    r"CREATE (?:OR REPLACE )?(PROCEDURE|FUNCTION) (\w+)\((.*?)\)\n(.*?)\nAS\n\$\$(.*)\$\$;?$", re.DOTALL
)
HAS_COMMENT = re.compile(r"CREATE (?:OR REPLACE )?(?:HYBRID )?(TABLE|VIEW|STAGE|TASK|ROLE|PROCEDURE|FUNCTION)\b")
GRANTED = re.compile(r"GRANT [\w, ]+ ON (?:ALL |FUTURE )?(\w+)\b.* TO (?:ROLE )?(\w+)", re.DOTALL)
DYNAMIC = re.compile(r"\bEXECUTE\s+IMMEDIATE\s+(?!\$\$)|\bIDENTIFIER\s*\(", re.IGNORECASE)
GRANTABLE = {"SCHEMA", "FUNCTION", "PROCEDURE", "STAGE", "TASK"}
THE_ONE_THAT_MAY = "RAISE_ERROR"

PROCEDURE = """\
-- A procedure.
CREATE OR REPLACE PROCEDURE P(P_RUN_ID VARCHAR)
RETURNS BOOLEAN
LANGUAGE SQL
COMMENT = 'A procedure.'
EXECUTE AS OWNER
AS
$$
BEGIN
    DELETE FROM T WHERE RUN_ID = :P_RUN_ID;
    RETURN TRUE;
END;
$$;
"""
FUNCTION = """\
-- A function.
CREATE OR REPLACE FUNCTION F(P_LAST NUMBER)
RETURNS NUMBER
LANGUAGE SQL
IMMUTABLE
COMMENT = 'A function.'
AS
$$
    P_LAST + 1
$$;
"""
SCRIPT = """\
-- A function in JavaScript.
CREATE OR REPLACE FUNCTION J(P_STATE VARIANT, P_EVENTS ARRAY)
RETURNS VARIANT
LANGUAGE JAVASCRIPT
IMMUTABLE
COMMENT = 'A function in JavaScript.'
AS
$$
return P_EVENTS.reduce((last, event) => event.seq, P_STATE);
$$;
"""
TABLE = """\
-- A table.
CREATE TABLE IF NOT EXISTS T (
    RUN_ID VARCHAR NOT NULL COMMENT 'The run.',
    SEQ NUMBER(38, 0) COMMENT 'Its, and others'', number.'
)
COMMENT = 'A table.';

INSERT INTO T (RUN_ID) SELECT 'execute immediate' AS RUN_ID;
"""
BLOCK = """\
-- A block.
EXECUTE IMMEDIATE
$$
BEGIN
    DELETE FROM T;
END;
$$;
"""
GRANT = "-- A grant.\nGRANT USAGE ON PROCEDURE P(VARCHAR) TO ROLE RUNSTORE_READER;\n"
GOOD = {
    "procedure": PROCEDURE,
    "function": FUNCTION,
    "javascript": SCRIPT,
    "table": TABLE,
    "block": BLOCK,
    "grant": GRANT,
}
# what is wrong: a good text, what stands in it, what is put there, and the fault that has to be found
BAD = {
    "no opening comment": ("table", "-- A table.\n", "", "no comment opens the file"),
    "a broken statement": ("table", "NOT NULL COMMENT", "NOT COMMENT", "does not parse"),
    "a broken procedure": ("procedure", "    RETURN TRUE;", "    IF (TRUE) RETURN TRUE;", "does not parse"),
    "a statement without semicolon": ("procedure", ":P_RUN_ID;", ":P_RUN_ID", "does not parse"),
    "a broken block": ("block", "BEGIN\n", "", "does not parse"),
    "a broken SQL function": ("function", "P_LAST + 1", "P_LAST +", "does not parse"),
    "a broken JavaScript function": ("javascript", "event.seq,", "event.seq", "SyntaxError"),
    "rights of the caller": ("procedure", "AS OWNER", "AS CALLER", "EXECUTE AS OWNER"),
    "no rights": ("procedure", "EXECUTE AS OWNER\n", "", "EXECUTE AS OWNER"),
    "no comment on a procedure": ("procedure", "COMMENT = 'A procedure.'\n", "", "has no COMMENT"),
    "no comment on a function": ("function", "COMMENT = 'A function.'\n", "", "has no COMMENT"),
    "an empty comment": ("function", "'A function.'", "''", "has no COMMENT"),
    "no volatility": ("function", "IMMUTABLE\n", "", "neither IMMUTABLE nor VOLATILE"),
    "no comment on a table": ("table", "\nCOMMENT = 'A table.'", "", "has no COMMENT"),
    "no comment on a column": ("table", " COMMENT 'The run.'", "", "column RUN_ID has no COMMENT"),
    "an empty comment on a column": ("table", "'The run.'", "''", "column RUN_ID has no COMMENT"),
    "SQL put together": (
        "procedure",
        "    DELETE FROM T WHERE RUN_ID = :P_RUN_ID;",
        "    EXECUTE IMMEDIATE :P_RUN_ID;",
        "text",
    ),
    "SQL put together in a block": ("block", "DELETE FROM T;", "EXECUTE IMMEDIATE 'DELETE FROM T';", "text"),
    "a name put together": ("procedure", "DELETE FROM T", "DELETE FROM IDENTIFIER(:P_RUN_ID)", "text"),
    "a table granted": ("grant", "USAGE ON PROCEDURE P(VARCHAR)", "SELECT ON TABLE T", "TABLE is granted"),
    "all tables granted": (
        "grant",
        "USAGE ON PROCEDURE P(VARCHAR)",
        "SELECT ON ALL TABLES IN SCHEMA S",
        "TABLES is granted",
    ),
    "a view granted": ("grant", "USAGE ON PROCEDURE P(VARCHAR)", "SELECT ON VIEW V", "VIEW is granted"),
    "granted to everybody": ("grant", "RUNSTORE_READER", "PUBLIC", "granted to PUBLIC"),
    "granted to everybody, shorter": ("grant", "ROLE RUNSTORE_READER", "PUBLIC", "granted to PUBLIC"),
    "a keyword in lower case": ("table", "NOT NULL", "not null", "'not' is not upper case"),
    "a keyword in lower case in a body": ("procedure", "RETURN TRUE", "return TRUE", "'return' is not upper case"),
    "a keyword in lower case in a function": ("function", "P_LAST + 1", "case WHEN P_LAST > 1 THEN 2 END", "'case'"),
}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_file_is_well_formed(path: Path) -> None:
    assert not (found := list(faults(path.read_text()))), "\n".join(found)


def test_one_statement_is_put_together_and_it_stands_in_raise_error() -> None:
    dynamic = [
        (path.name, match[1])
        for path in [*ordered(), *sorted((SOURCES / "hybrid").glob("*.sql"))]
        for statement in statements(path.read_text())
        for match in re.finditer(r"EXECUTE\s+IMMEDIATE\s+(\S+);", code_of(statement), re.IGNORECASE)
    ]
    assert dynamic == [("raise_error.sql", ":V_BLOCK")]


@pytest.mark.parametrize("name", GOOD)
def test_a_good_file_has_no_fault(name: str) -> None:
    assert list(faults(GOOD[name])) == []


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_has_one(name: str) -> None:
    good, present, instead, fault = BAD[name]
    assert GOOD[good].count(present) == 1
    found = list(faults(GOOD[good].replace(present, instead)))
    assert [fault in text for text in found].count(True) == 1, found


def faults(text: str) -> Iterator[str]:
    """Say what is wrong with a file."""
    if not opening_comment(text):
        yield "no comment opens the file"
    for statement in statements(text):
        name = statement.split("\n")[0][:80]
        for fault in parsing_faults(statement) or rule_faults(statement):
            yield f"{name}: {fault}"


@functools.cache
def parsing_faults(statement: str) -> tuple[str, ...]:
    """Say what does not parse, and which keyword is not in upper case: a migration holds what sql/ holds."""
    texts = [BODY.sub("$$ $$", statement)]
    found: list[str] = []
    if routine := ROUTINE.match(statement):
        body = routine[5]
        if "LANGUAGE JAVASCRIPT" in routine[4]:
            found += javascript_faults(re.findall(r"\bP_\w+", routine[3]), body)
        else:
            texts.append(body if routine[1] == "PROCEDURE" else f"SELECT ({body});")
    else:
        texts += BODY.findall(statement)
    for text in texts:
        tree = parsed(text)
        found += [f"does not parse: {part.raw.strip()[:200]}" for part in tree.recursive_crawl("unparsable")]
        found += [f"{part.raw!r} is not upper case" for part in tree.raw_segments if is_lower_keyword(part)]
    return tuple(found)


def parsed(text: str) -> BaseSegment:
    """Return sqlfluff's tree; what it cannot parse is a segment of its own in it."""
    tokens, errors = Lexer(config=CONFIG).lex(text)
    assert not errors
    tree = Parser(config=CONFIG).parse(tuple(tokens))
    assert tree is not None
    assert tree.raw == text
    return tree


def is_lower_keyword(segment: BaseSegment) -> bool:
    """Say whether this is a keyword that is not written in upper case."""
    return segment.is_type("keyword") and segment.raw != segment.raw_upper


def javascript_faults(names: list[str], body: str) -> list[str]:
    """Say what the engine has against a function's body."""
    try:
        engine().eval(f"new Function({json.dumps(names)}, {json.dumps(body)}); undefined")
    except JSEvalException as error:
        return [str(error)]
    return []


engine = functools.lru_cache(maxsize=1)(new_engine)


def rule_faults(statement: str) -> Iterator[str]:
    """Say which of the project's rules a statement breaks."""
    if created := HAS_COMMENT.match(statement):
        outside = BODY.sub("", statement)
        if not re.search(r"\bCOMMENT = '[^']", outside):
            yield f"the {created[1].lower()} has no COMMENT"
        if created[1] == "PROCEDURE" and not re.search(r"^EXECUTE AS OWNER$", outside, re.MULTILINE):
            yield "the procedure does not say EXECUTE AS OWNER"
        if created[1] == "FUNCTION" and not re.search(r"^(IMMUTABLE|VOLATILE)$", outside, re.MULTILINE):
            yield "the function is neither IMMUTABLE nor VOLATILE"
        if created[1] == "TABLE":
            yield from column_faults(statement)
    if granted := GRANTED.match(statement):
        if granted[1] not in GRANTABLE:
            yield f"{granted[1]} is granted"
        if granted[2] == "PUBLIC":
            yield "granted to PUBLIC"
    routine = ROUTINE.match(statement)
    may_be_dynamic = routine is not None and (routine[2] == THE_ONE_THAT_MAY or "LANGUAGE JAVASCRIPT" in routine[4])
    if not may_be_dynamic and DYNAMIC.search(code_of(statement)):
        yield "a text is put together and executed"


def column_faults(statement: str) -> Iterator[str]:
    """Say which columns of a table have no comment; sqlfluff puts it behind the column's definition."""
    table = next(parsed(statement).recursive_crawl("create_table_statement"))
    parts = [part for part in next(table.recursive_crawl("bracketed")).segments if part.is_code]
    for column, following in itertools.pairwise(parts):
        is_commented = following.is_type("comment_clause") and not following.raw.endswith(" ''")
        if column.is_type("column_definition") and not is_commented:
            yield f"column {column.raw.split()[0]} has no COMMENT"
