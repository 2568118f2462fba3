"""The closed list of what the bench changes in a statement before fakesnow gets it, and why.

Everything else reaches fakesnow as it was shipped. `adapt` returns the text and the names of what it applied; the
bench logs both, and a test compares that log with the shipped text and the names with this list.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import sqlglot
from sqlglot.tokens import Token, TokenType

from bench.faults import NotSupported

RUNNER = {
    "bind-variables": "A variable of a block is bound as a parameter, cast to the type that the variable has.",
    "select-into": "INTO of a SELECT is taken out: the interpreter puts the row into the variables.",
    "merge-natively": "fakesnow splits a MERGE over a temporary table, which DuckDB refuses within a transaction; "
    "DuckDB runs it in one piece instead.",
    "transactions": "The runner begins and ends transactions on DuckDB's connection: fakesnow commits on its own.",
    "no-effect": "Roles, grants, tasks, search optimisation and the like are recorded and have no effect.",
    "sql-function": "A SQL function is made a DuckDB macro, each argument and the answer cast to the declared type.",
    "javascript-function": "A JavaScript function is registered with DuckDB and run by a real engine.",
}

MACROS = (
    """CREATE OR REPLACE MACRO BENCH_PAIR(k, v) AS
        CASE
            WHEN typeof(k) = 'JSON' THEN error('the bench: a key of OBJECT_CONSTRUCT that is a VARIANT')
            WHEN typeof(v) LIKE 'TIMESTAMP%' OR typeof(v) = 'DATE'
                THEN error('the bench: a time as a value of OBJECT_CONSTRUCT depends on the session: write it as text')
            ELSE to_json(CAST(k AS VARCHAR))::VARCHAR || ':' || to_json(v)::VARCHAR
        END""",
    "CREATE OR REPLACE MACRO BENCH_OBJECT(pairs) AS ('{' || COALESCE(array_to_string(pairs, ','), '') || '}')::JSON",
    "CREATE OR REPLACE MACRO BENCH_ELEMENT(v) AS COALESCE(to_json(v)::VARCHAR, 'null')",
    "CREATE OR REPLACE MACRO BENCH_ARRAY(elements) AS ('[' || array_to_string(elements, ',') || ']')::JSON",
    """CREATE OR REPLACE MACRO BENCH_ARRAY_AGG_0(x) AS
        COALESCE(to_json(list_filter(list(x), lambda e: e IS NOT NULL)), '[]'::JSON)""",
    """CREATE OR REPLACE MACRO BENCH_ARRAY_AGG_1(x, a) AS
        COALESCE(to_json(list_filter(list(x ORDER BY a), lambda e: e IS NOT NULL)), '[]'::JSON)""",
    """CREATE OR REPLACE MACRO BENCH_ARRAY_AGG_2(x, a, b) AS
        COALESCE(to_json(list_filter(list(x ORDER BY a, b), lambda e: e IS NOT NULL)), '[]'::JSON)""",
    "CREATE OR REPLACE MACRO BENCH_UTC_TEXT(x) AS strftime(x, '%Y-%m-%dT%H:%M:%S.%fZ')",
    "CREATE OR REPLACE MACRO BENCH_UTC_TIME(x) AS strptime(x, '%Y-%m-%dT%H:%M:%S.%fZ')",
    """CREATE OR REPLACE MACRO BENCH_INSERT(object, k, v) AS
        CASE
            WHEN v IS NULL THEN error('the bench: OBJECT_INSERT of NULL')
            WHEN json_type(object) <> 'OBJECT' THEN error('the bench: OBJECT_INSERT into something that is no object')
            WHEN list_contains(json_keys(object), k) THEN error('the bench: OBJECT_INSERT of a key that is there')
            ELSE (
                left(json(object)::VARCHAR, -1) || CASE WHEN json(object)::VARCHAR = '{}' THEN '' ELSE ',' END
                || BENCH_PAIR(k, v) || '}'
            )::JSON
        END""",
    """CREATE OR REPLACE MACRO BENCH_CONTAINS(v, elements) AS
        CASE
            WHEN json_type(v) <> 'VARCHAR' THEN error('the bench: ARRAY_CONTAINS of something that is no text')
            ELSE list_contains(CAST(elements AS JSON[]), v)
        END""",
    "CREATE OR REPLACE MACRO BENCH_CURRENT_TRANSACTION() AS CAST(getvariable('bench_transaction') AS VARCHAR)",
    "CREATE OR REPLACE MACRO BENCH_CURRENT_USER() AS CAST(getvariable('bench_user') AS VARCHAR)",
    """CREATE OR REPLACE MACRO BENCH_TYPEOF(x) AS
        CASE json_type(x)
            WHEN 'BIGINT' THEN 'INTEGER' WHEN 'UBIGINT' THEN 'INTEGER' WHEN 'DOUBLE' THEN 'DECIMAL'
            WHEN 'NULL' THEN 'NULL_VALUE' ELSE json_type(x)
        END""",
)

OWN_NAMES = ("VERSION",)
OFFSET_FORMAT = 'YYYY-MM-DD"T"HH24:MI:SS.FF6TZH:TZM'
UTC_FORMAT = 'YYYY-MM-DD"T"HH24:MI:SS.FF6"Z"'


@dataclass(frozen=True)
class Adaptation:
    """A change of a text; `apply` returns the text as it is where there is nothing to change."""

    name: str
    why: str
    apply: Callable[[str], str]


def entries_of(text: str, tokens: Sequence[Token], opening: int) -> tuple[str, ...]:
    """The texts between the commas of the bracket that opens there."""
    return split_arguments(text, tokens, opening, _closing(tokens, opening))


@dataclass(frozen=True)
class _Call:
    """A call of a function within a text."""

    start: int
    end: int
    arguments: tuple[str, ...]
    following: int


def tokens_of(text: str) -> list[Token]:
    """The tokens of a statement, without comments."""
    return list(sqlglot.tokenize(text, read="snowflake"))


def _closing(tokens: Sequence[Token], opening: int) -> int:
    depth = 0
    for index in range(opening, len(tokens)):
        if tokens[index].token_type in (TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE):
            depth += 1
        elif tokens[index].token_type in (TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE):
            depth -= 1
            if depth == 0:
                return index
    raise NotSupported("brackets that do not close")


def split_arguments(text: str, tokens: Sequence[Token], opening: int, closing: int) -> tuple[str, ...]:
    """The texts between the commas of a bracket."""
    arguments, start, index = [], tokens[opening].end + 1, opening + 1
    if closing == opening + 1:
        return ()
    while index < closing:
        kind = tokens[index].token_type
        if kind in (TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE):
            index = _closing(tokens, index)
        elif kind is TokenType.COMMA:
            arguments.append(text[start : tokens[index].start].strip())
            start = tokens[index].end + 1
        index += 1
    return (*arguments, text[start : tokens[closing].start].strip())


def _last_call(text: str, name: str, limit: int) -> _Call | None:
    """The last call that starts before `limit`; the last first, so that what stands within another one comes first."""
    tokens = tokens_of(text)
    for index in range(len(tokens) - 2, -1, -1):
        token = tokens[index]
        is_call = token.text.upper() == name and tokens[index + 1].token_type is TokenType.L_PAREN
        is_name = token.token_type not in (TokenType.STRING, TokenType.IDENTIFIER)
        after_dot = index > 0 and tokens[index - 1].token_type is TokenType.DOT
        if token.start < limit and is_call and is_name and not after_dot:
            closing = _closing(tokens, index + 1)
            arguments = split_arguments(text, tokens, index + 1, closing)
            return _Call(token.start, tokens[closing].end + 1, arguments, closing + 1)
    return None


def _rewriting(name: str, rewrite: Callable[[Sequence[str]], str | None]) -> Callable[[str], str]:
    """Rewrites every call of a function; None from `rewrite` leaves a call as it is."""

    def apply(text: str) -> str:
        limit = len(text)
        while name in text.upper():
            found = _last_call(text, name, limit)
            if found is None:
                break
            replacement = rewrite(found.arguments)
            limit = found.start
            if replacement is not None:
                text = text[: found.start] + replacement + text[found.end :]
        return text

    return apply


def _renaming(name: str, to: str) -> Callable[[str], str]:
    """Gives a function another name."""
    return _rewriting(name, lambda arguments: f"{to}({', '.join(arguments)})")


def _object(arguments: Sequence[str]) -> str:
    if len(arguments) % 2:
        raise NotSupported("OBJECT_CONSTRUCT with an odd number of arguments")
    pairs = [f"BENCH_PAIR({key}, {value})" for key, value in zip(arguments[::2], arguments[1::2], strict=True)]
    return f"BENCH_OBJECT([{', '.join(pairs)}])" if pairs else "PARSE_JSON('{}')"


def _array(arguments: Sequence[str]) -> str:
    elements = [f"BENCH_ELEMENT({argument})" for argument in arguments]
    return f"BENCH_ARRAY([{', '.join(elements)}])" if elements else "PARSE_JSON('[]')"


def _utc_text(arguments: Sequence[str]) -> str | None:
    if len(arguments) < 2:
        return None
    if arguments[1] != f"'{UTC_FORMAT}'":
        raise NotSupported(f"the format {arguments[1]}")
    return f"BENCH_UTC_TEXT({arguments[0]})"


def _utc_time(arguments: Sequence[str]) -> str | None:
    if len(arguments) < 2:
        return None
    if arguments[1] != f"'{UTC_FORMAT}'":
        raise NotSupported(f"the format {arguments[1]}")
    return f"BENCH_UTC_TIME({arguments[0]})"


def _timestamp_tz(arguments: Sequence[str]) -> str:
    if len(arguments) > 1 and arguments[1] != f"'{OFFSET_FORMAT}'":
        raise NotSupported(f"the format {arguments[1]}")
    return f"CAST({arguments[0]} AS TIMESTAMP_TZ)"


def own_name(name: str) -> str:
    """The name under which DuckDB knows a function."""
    return f"OWN_{name}" if name in OWN_NAMES else name


def _own_names(text: str) -> str:
    for name in OWN_NAMES:
        text = _renaming(name, own_name(name))(text)
    return text


def _array_agg(text: str) -> str:
    while "ARRAY_AGG" in text.upper():
        found = _last_call(text, "ARRAY_AGG", len(text))
        if found is None:
            break
        tokens = tokens_of(text)
        words = [token.text.upper() for token in tokens[found.following : found.following + 2]]
        end = found.end
        keys: tuple[str, ...] = ()
        if len(found.arguments) != 1 or found.arguments[0].upper().startswith("DISTINCT"):
            raise NotSupported("ARRAY_AGG(DISTINCT ...)")
        if words[:1] == ["OVER"]:
            raise NotSupported("ARRAY_AGG(...) OVER")
        if words == ["WITHIN", "GROUP"]:
            opening = found.following + 2
            closing = _closing(tokens, opening)
            order = split_arguments(text, tokens, opening, closing)
            keys = tuple(re.sub(r"^ORDER\s+BY\s+", "", key, flags=re.IGNORECASE) for key in order)
            if any(re.search(r"\b(DESC|NULLS\s+FIRST|NULLS\s+LAST)$", key, re.IGNORECASE) for key in keys):
                raise NotSupported("ARRAY_AGG in descending order")
            end = tokens[closing].end + 1
        if len(keys) > 2:
            raise NotSupported("ARRAY_AGG ordered by more than two keys")
        arguments = ", ".join((found.arguments[0], *keys))
        text = f"{text[: found.start]}BENCH_ARRAY_AGG_{len(keys)}({arguments}){text[end:]}"
    return text


def _is_create_table(tokens: Sequence[Token]) -> bool:
    words = [token.text.upper() for token in tokens[:6]]
    return words[:1] == ["CREATE"] and "TABLE" in words


def _words(tokens: Sequence[Token], count: int) -> set[str]:
    return {token.text.upper() for token in tokens[:count]}


def _definition(tokens: Sequence[Token]) -> tuple[int, int]:
    opening = next(index for index, token in enumerate(tokens) if token.token_type is TokenType.L_PAREN)
    return opening, _closing(tokens, opening)


_KEYS = re.compile(r"(CONSTRAINT\s+\w+\s+)?(PRIMARY\s+KEY|UNIQUE|FOREIGN\s+KEY)\b", re.IGNORECASE)


def _rebuilt(text: str, drops: Callable[[str], bool]) -> str:
    """A CREATE TABLE without the entries of its list that `drops` says."""
    tokens = tokens_of(text)
    if not _is_create_table(tokens) or not any(token.token_type is TokenType.L_PAREN for token in tokens):
        return text
    opening, closing = _definition(tokens)
    entries = split_arguments(text, tokens, opening, closing)
    kept = [entry for entry in entries if not drops(entry)]
    if len(kept) == len(entries):
        return text
    inner = ",\n    ".join(kept)
    return f"{text[: tokens[opening].end + 1]}\n    {inner}\n{text[tokens[closing].start :]}"


def _unenforced_keys(text: str) -> str:
    tokens = tokens_of(text)
    if not _is_create_table(tokens) or "HYBRID" in _words(tokens, 6):
        return text
    if re.search(r"\b(VARCHAR|NUMBER|\))\s+(NOT NULL\s+)?(PRIMARY KEY|UNIQUE)\b", text, re.IGNORECASE):
        raise NotSupported("a key declared with its column: declare it as a constraint of the table")
    keys: list[str] = []

    def drops(entry: str) -> bool:
        found = _KEYS.match(entry)
        if found and found[2].upper().startswith("PRIMARY"):
            keys.extend(part.strip().upper() for part in entry[entry.index("(") + 1 : entry.rindex(")")].split(","))
        return found is not None

    opening, closing = _definition(tokens)
    columns = split_arguments(text, tokens, opening, closing)
    adapted = _rebuilt(text, drops)
    for key in keys:
        column = next(entry for entry in columns if entry.upper().split()[0] == key)
        if not re.search(r"\bNOT\s+NULL\b", column, re.IGNORECASE):
            adapted = adapted.replace(column, f"{column} NOT NULL", 1)
    return adapted


def _hybrid_tables(text: str) -> str:
    tokens = tokens_of(text)
    if not _is_create_table(tokens) or "HYBRID" not in _words(tokens, 6):
        return text
    plain = re.sub(r"\bHYBRID\s+(?=TABLE\b)", "", text, count=1, flags=re.IGNORECASE)
    return _rebuilt(plain, lambda entry: re.match(r"INDEX\b", entry, re.IGNORECASE) is not None)


ADAPTATIONS = (
    Adaptation(
        "unenforced-keys",
        "An account enforces no declared key of a standard table, DuckDB does; that key columns are NOT NULL stays.",
        _unenforced_keys,
    ),
    Adaptation("hybrid-tables", "DuckDB has no HYBRID and INDEX; it enforces the keys as they do.", _hybrid_tables),
    Adaptation(
        "object-construct",
        "fakesnow makes it a subquery, in which aggregates of the query cannot stand.",
        _rewriting("OBJECT_CONSTRUCT", _object),
    ),
    Adaptation(
        "object-insert",
        "fakesnow makes it an insertion into a DuckDB struct, which a JSON object is not.",
        _renaming("OBJECT_INSERT", "BENCH_INSERT"),
    ),
    Adaptation(
        "array-contains",
        "fakesnow takes the array for a DuckDB list, which JSON is not.",
        _renaming("ARRAY_CONTAINS", "BENCH_CONTAINS"),
    ),
    Adaptation(
        "array-construct",
        "fakesnow makes it a DuckDB list wherever it is not a select item; a list has one type, and is no JSON.",
        _rewriting("ARRAY_CONSTRUCT", _array),
    ),
    Adaptation("array-agg", "An account leaves out NULLs and gives [] for nothing; fakesnow does neither.", _array_agg),
    Adaptation(
        "count-if",
        "DuckDB's COUNT_IF gives NULL where there are no rows, an account's 0.",
        _rewriting("COUNT_IF", lambda arguments: f"COUNT(CASE WHEN {arguments[0]} THEN 1 END)"),
    ),
    Adaptation("utc-text", "fakesnow drops the format of TO_VARCHAR.", _rewriting("TO_VARCHAR", _utc_text)),
    Adaptation(
        "utc-time",
        "fakesnow does not translate the format of TO_TIMESTAMP_NTZ.",
        _rewriting("TO_TIMESTAMP_NTZ", _utc_time),
    ),
    Adaptation(
        "sysdate",
        "DuckDB's time stands still in a transaction, an account's does not.",
        _renaming("SYSDATE", "BENCH_SYSDATE"),
    ),
    Adaptation(
        "current-user",
        "DuckDB has one user; the bench says who is connected.",
        _renaming("CURRENT_USER", "BENCH_CURRENT_USER"),
    ),
    Adaptation(
        "to-timestamp-tz",
        "fakesnow leaves TO_TIMESTAMP_TZ to DuckDB, which has none; a cast reads the same format.",
        _rewriting("TO_TIMESTAMP_TZ", _timestamp_tz),
    ),
    Adaptation("own-names", "sqlglot or DuckDB take these functions of ours for theirs.", _own_names),
    Adaptation(
        "current-transaction",
        "The runner knows which transaction is open, DuckDB's functions do not say.",
        _renaming("CURRENT_TRANSACTION", "BENCH_CURRENT_TRANSACTION"),
    ),
    Adaptation("typeof", "DuckDB's TYPEOF names its own types.", _renaming("TYPEOF", "BENCH_TYPEOF")),
)

NAMES = frozenset(RUNNER) | frozenset(adaptation.name for adaptation in ADAPTATIONS)


def adapt(text: str) -> tuple[str, tuple[str, ...]]:
    """The text as fakesnow gets it, and the names of the adaptations that changed it."""
    names = []
    for adaptation in ADAPTATIONS:
        adapted = adaptation.apply(text)
        if adapted != text:
            names.append(adaptation.name)
            text = adapted
    return text, tuple(names)
