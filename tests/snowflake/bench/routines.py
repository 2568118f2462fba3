"""Procedures and functions as their CREATE statements declare them, and which one a CALL means."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlfluff.core.parser import BaseSegment

from bench.faults import WRONG_ARGUMENTS, NotSupported, refused
from bench.script import Block, parse_script, parse_tree
from bench.sqltypes import SqlType, Value, binds

_CLAUSES = ["RETURNS", "LANGUAGE", "NULLS", "VOLATILITY", "COMMENT", "EXECUTE", "AS"]


@dataclass(frozen=True)
class Parameter:
    """A parameter; `default` is the SQL of its default, None where it has none."""

    name: str
    type: SqlType
    default: str | None


@dataclass(frozen=True)
class Routine:
    """A procedure or function."""

    kind: str
    name: str
    parameters: tuple[Parameter, ...]
    returns: SqlType | None
    columns: tuple[tuple[str, SqlType], ...] | None
    language: str
    body: str
    block: Block | None

    @property
    def signature(self) -> tuple[str, tuple[str, ...]]:
        """What tells overloads apart."""
        return self.name, tuple(parameter.type.family for parameter in self.parameters)


@functools.lru_cache(maxsize=1024)
def parse_routine(text: str) -> Routine:
    """The routine that a CREATE PROCEDURE or CREATE FUNCTION declares; its body is parsed, too."""
    tree = parse_tree(text)
    segments = [part for statement in tree.recursive_crawl("statement") for part in statement.segments if part.is_code]
    if len(segments) != 1:
        raise refused("one CREATE at a time")
    segment = segments[0]
    if not segment.is_type("create_procedure_statement", "create_function_statement"):
        raise NotSupported(f"{segment.get_type()}")
    parts = [part for part in segment.segments if part.is_code]
    kind = "PROCEDURE" if segment.is_type("create_procedure_statement") else "FUNCTION"
    _refuse_order(parts)
    language = next((b.raw_upper for a, b in itertools.pairwise(parts) if a.raw_upper == "LANGUAGE"), "SQL")
    if language not in ("SQL", "JAVASCRIPT") or (kind, language) == ("PROCEDURE", "JAVASCRIPT"):
        raise NotSupported(f"a {kind} in {language}")
    quoted = next((part for part in parts if part.is_type("udf_body")), None)
    if quoted is None or not (quoted.raw.startswith("$$") and quoted.raw.endswith("$$")):
        raise NotSupported("a body that does not stand in $$")
    body = quoted.raw[2:-2]
    returns, columns = _answer(parts)
    if columns is not None and kind == "FUNCTION":
        raise NotSupported("a table function")
    if kind == "PROCEDURE" and returns is not None and returns.family in ("OBJECT", "ARRAY"):
        raise NotSupported(f"a procedure that returns {returns}: return VARIANT")
    return Routine(
        kind,
        next(part.raw_upper for part in parts if part.is_type("function_name")),
        _parameters(next(part for part in parts if part.is_type("function_parameter_list"))),
        returns,
        columns,
        language,
        body,
        parse_script(body) if kind == "PROCEDURE" else None,
    )


def _refuse_order(parts: Sequence[BaseSegment]) -> None:
    """The clauses come in one order on an account; sqlfluff takes any."""
    words = {
        "RETURNS": "RETURNS",
        "LANGUAGE": "LANGUAGE",
        "CALLED": "NULLS",
        "STRICT": "NULLS",
        "IMMUTABLE": "VOLATILITY",
        "VOLATILE": "VOLATILITY",
        "EXECUTE": "EXECUTE",
    }
    found = []
    for part in parts:
        if part.is_type("comment_equals_clause"):
            found.append("COMMENT")
        elif part.is_type("keyword") and part.raw_upper in words:
            found.append(words[part.raw_upper])
    if "NULLS" in found:
        raise NotSupported("STRICT and CALLED ON NULL INPUT")
    if [_CLAUSES.index(clause) for clause in found] != sorted(_CLAUSES.index(clause) for clause in found):
        raise refused(f"\nsyntax error: the clauses stand as {', '.join(found)}")


def _parameters(segment: BaseSegment) -> tuple[Parameter, ...]:
    brackets = next(part for part in segment.segments if part.is_type("bracketed"))
    parameters: list[Parameter] = []
    name: str | None = None
    for part in (part for part in brackets.segments if part.is_code):
        if part.is_type("parameter"):
            name = part.raw_upper
        elif part.is_type("data_type"):
            assert name is not None
            parameters.append(Parameter(name, SqlType.declared(part.raw), None))
        elif part.is_type("expression"):
            parameters[-1] = Parameter(parameters[-1].name, parameters[-1].type, part.raw)
        elif not part.is_type("comma", "start_bracket", "end_bracket", "keyword"):
            raise NotSupported(f"the parameter {part.raw}")
    return tuple(parameters)


def _answer(parts: Sequence[BaseSegment]) -> tuple[SqlType | None, tuple[tuple[str, SqlType], ...] | None]:
    index = next(index for index, part in enumerate(parts) if part.raw_upper == "RETURNS")
    if parts[index + 1].raw_upper != "TABLE":
        return SqlType.declared(parts[index + 1].raw), None
    columns = []
    for definition in parts[index + 2].recursive_crawl("column_definition"):
        pieces = [piece for piece in definition.segments if piece.is_code]
        columns.append((pieces[0].raw.strip('"').upper(), SqlType.declared(pieces[1].raw)))
    return None, tuple(columns)


def choose(
    candidates: Sequence[Routine], name: str, positional: Sequence[Value], named: Mapping[str, Value]
) -> tuple[Routine, dict[str, Value]]:
    """The overload that takes the arguments, and the argument of each parameter that got one."""
    fitting = []
    for routine in candidates:
        given = _given(routine, positional, named)
        if given is not None and all(binds(given[p.name].type, p.type) for p in routine.parameters if p.name in given):
            fitting.append((routine, given))
    if len(fitting) > 1:
        raise NotSupported(f"a CALL of {name} that fits {len(fitting)} signatures")
    if fitting:
        return fitting[0]
    most = max(len(routine.parameters) for routine in candidates)
    if len(positional) > most:
        text = f"too many arguments for function [{name}] expected {most}, got {len(positional)}"
    elif named and not positional:
        listed = ", ".join(parameter.name for parameter in candidates[0].parameters if parameter.name in named)
        text = f"named arguments [{listed}] do not match any signature for function {name}"
    else:
        listed = ", ".join(_shown(value) for value in (*positional, *named.values()))
        text = f"Invalid argument types for function '{name}': ({listed})"
    raise refused(f"error line 0 at position -1\n{text}", WRONG_ARGUMENTS)


def _shown(value: Value) -> str:
    return "NULL" if value.type.family == "NULL" else str(value.type)


def _given(routine: Routine, positional: Sequence[Value], named: Mapping[str, Value]) -> dict[str, Value] | None:
    names = [parameter.name for parameter in routine.parameters]
    if len(positional) > len(names) or set(names[: len(positional)]) & named.keys() or named.keys() - set(names):
        return None
    given = {**dict(zip(names, positional, strict=False)), **named}
    missing = [p for p in routine.parameters if p.name not in given and p.default is None]
    return None if missing else given
