"""SQL functions as DuckDB macros, JavaScript functions as functions of Python, and what a CREATE TABLE declares."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import duckdb
import sqlglot
from duckdb.func import FunctionNullHandling
from sqlglot import exp
from sqlglot.tokens import TokenType

from bench import adaptations
from bench.faults import NotSupported
from bench.javascript import compile_function
from bench.routines import Routine
from bench.sqltypes import SqlType

_DUCK_TYPES = {
    "VARIANT": "JSON",
    "OBJECT": "JSON",
    "ARRAY": "JSON",
    "VARCHAR": "VARCHAR",
    "FLOAT": "DOUBLE",
    "BOOLEAN": "BOOLEAN",
}


# DuckDB looks at how many parameters a function has
_ARITIES: dict[int, Callable[[Callable[..., Any]], Callable[..., Any]]] = {
    1: lambda function: lambda a: function(a),
    2: lambda function: lambda a, b: function(a, b),
    3: lambda function: lambda a, b, c: function(a, b, c),
    4: lambda function: lambda a, b, c, d: function(a, b, c, d),
}


def register_javascript(connection: duckdb.DuckDBPyConnection, routine: Routine) -> None:
    """Makes a JavaScript function known to DuckDB."""
    assert routine.returns is not None
    types = tuple(parameter.type for parameter in routine.parameters)
    names = tuple(parameter.name for parameter in routine.parameters)
    function = compile_function(names, types, routine.returns, routine.body)
    parameters: list[Any] = [_DUCK_TYPES[type_.family] for type_ in types]
    connection.create_function(
        routine.name,
        _ARITIES[len(types)](function),
        parameters,
        _DUCK_TYPES[routine.returns.family],
        null_handling=FunctionNullHandling.SPECIAL,
        side_effects=False,
    )


def macro_head(routine: Routine) -> str:
    """The name and the parameters of the macro that a SQL function becomes."""
    names = ", ".join(parameter.name for parameter in routine.parameters)
    head = f"{adaptations.own_name(routine.name)}({names})"
    if not isinstance(sqlglot.parse_one(head, read="snowflake"), exp.Anonymous):
        raise NotSupported(f"a function {routine.name}: sqlglot takes it for one that it knows")
    return head


def macro_body(routine: Routine) -> str:
    """The expression with its parameters and its value cast to their declared types."""
    assert routine.returns is not None
    types = {parameter.name: parameter.type for parameter in routine.parameters}
    text = routine.body.strip()
    for token in reversed(adaptations.tokens_of(text)):
        is_name = token.token_type not in (TokenType.STRING, TokenType.IDENTIFIER)
        if is_name and token.text.upper() in types:
            declared = _cast_name(types[token.text.upper()])
            replacement = token.text if declared is None else f"CAST({token.text} AS {declared})"
            text = text[: token.start] + replacement + text[token.end + 1 :]
    declared = _cast_name(routine.returns)
    return text if declared is None else f"CAST({text} AS {declared})"


def _cast_name(type_: SqlType) -> str | None:
    if type_.family in ("VARIANT", "OBJECT", "ARRAY", "TIMESTAMP_TZ"):
        return None
    return f"{type_.family}({type_.size or 38}, {type_.scale or 0})" if type_.family == "NUMBER" else type_.family


def columns_of(text: str) -> Iterator[tuple[str, SqlType]]:
    """The columns that a CREATE TABLE declares."""
    tokens = adaptations.tokens_of(text)
    opening = next((index for index, token in enumerate(tokens) if token.token_type is TokenType.L_PAREN), None)
    if opening is None:
        return
    for entry in adaptations.entries_of(text, tokens, opening):
        found = re.match(r"(\w+)\s+(\w+(?:\s*\([\d\s,]+\))?)", entry)
        if found and found[1].upper() not in ("CONSTRAINT", "PRIMARY", "UNIQUE", "FOREIGN", "INDEX"):
            yield found[1].upper(), SqlType.declared(found[2])
