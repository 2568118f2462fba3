"""Queries over arrays, which read no table: what a MERGE takes its rows from."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlfluff.core.parser import BaseSegment

from explorer.program import Extreme, Field, From, HowMany, Literal, Opaque, Query, Value
from explorer.segments import Reader, alias_of, child, code, needed, not_modelled

# The members of an element of an array.
MEMBERS = {
    "index", "firstIndex", "runId", "idempotencyKey", "eventId", "eventType", "runSeq", "seenSeq", "isNew", "differs",
    "lastSeq",
}  # fmt: skip

_ARRAY = re.compile(r"TABLE\(FLATTEN\(INPUT=>:(\w+)\)\)")
_MEMBER = re.compile(r"(\w+)\.VALUE:(\w+)::[A-Z]+(?:\(\d+,\d+\))?")
_ONE_PER = re.compile(r"ROW_NUMBER\(\)OVER\(PARTITION BY (.+) ORDER BY \w+\.INDEX\)=1")


def _value(segment: BaseSegment) -> Value:
    return _value_of(code(segment))


def _value_of(text: str) -> Value:
    if member := _MEMBER.fullmatch(text):
        return Field(member[1], member[2]) if member[2] in MEMBERS else Opaque(text)
    if re.fullmatch(r"\w+\.INDEX", text):
        return Field(text.partition(".")[0], "index")
    if re.fullmatch(r"[A-Z]\w*\.[A-Z]\w*", text):
        alias, _, name = text.partition(".")
        return Field(alias, name)
    if extreme := re.fullmatch(r"(MIN|MAX)\((.*)\)", text):
        of = _value_of(extreme[2])
        return Opaque(text) if isinstance(of, Opaque) else Extreme(extreme[1], of)
    if difference := re.fullmatch(r"ARRAY_SIZE\((\w+)\.VALUE:differs\)>0", text):
        return Field(difference[1], "differs")
    if re.fullmatch(r"-?\d+", text):
        return Literal(int(text))
    if re.fullmatch(r"'\w+'", text):
        return Literal(text[1:-1])
    if text == "CLOCK()":
        return Literal("now")
    return HowMany() if text == "COUNT(*)" else Opaque(text)


def read_query(reader: Reader, segment: BaseSegment) -> Query:
    """Return a SELECT over arrays."""
    if not segment.is_type("select_statement"):
        raise not_modelled(segment, "no plain SELECT")
    columns, members, where = [], [], []
    group_by: tuple[Value, ...] = ()
    one_per: Value | None = None
    for part in segment.segments:
        if part.is_type("select_clause"):
            columns = list(_columns(part))
        elif part.is_type("from_clause"):
            members = list(_from(reader, part))
        elif part.is_type("where_clause"):
            where = [_filter(part)]
        elif part.is_type("groupby_clause"):
            group_by = tuple(_value(each) for each in part.segments if each.is_type("expression", "column_reference"))
        elif part.is_type("qualify_clause"):
            once = _ONE_PER.fullmatch(code(needed(part, "expression")))
            if once is None:
                raise not_modelled(part, "a QUALIFY that the model does not know")
            one_per = _value_of(once[1])
        elif part.is_code and not part.is_type("orderby_clause"):
            raise not_modelled(part, "a clause that the model does not know")
    if any(isinstance(value, Opaque) for value in (*where, *group_by, one_per)):
        raise not_modelled(segment, "rows are chosen by something that the model does not compute")
    return Query(tuple(columns), tuple(members), tuple(where), group_by, one_per)


def _columns(clause: BaseSegment) -> Iterator[tuple[str, Value]]:
    for element in clause.segments:
        if element.is_type("select_clause_element"):
            value = _value(next(part for part in element.segments if part.is_code))
            alias = alias_of(element)
            if alias is None and not isinstance(value, Field):
                raise not_modelled(element, "a column without a name")
            assert alias is not None or isinstance(value, Field)
            yield alias if alias is not None else value.name, value  # type: ignore[union-attr]


def _filter(clause: BaseSegment) -> Value:
    value = _value(needed(clause, "expression"))
    if not (isinstance(value, Field) and value.name in ("isNew", "differs")):
        raise not_modelled(clause, "a filter that the model does not know")
    return value


def _from(reader: Reader, clause: BaseSegment) -> Iterator[From]:
    expression = needed(clause, "from_expression")
    if sum(part.is_type("from_expression") for part in clause.segments) > 1:
        raise not_modelled(clause, "a join by comma")
    yield _from_member(reader, needed(expression, "from_expression_element"), None)
    for join in expression.segments:
        if join.is_type("join_clause"):
            if [part.raw_upper for part in join.segments if part.is_type("keyword")] != ["INNER", "JOIN"]:
                raise not_modelled(join, "a join that the model does not know")
            condition = needed(needed(join, "join_on_condition"), "expression", "bracketed")
            sides = [_value_of(side) for side in code(condition).split("=")]
            if len(sides) != 2 or not all(isinstance(side, Field) for side in sides):
                raise not_modelled(join, "a join on something that the model does not know")
            yield _from_member(reader, needed(join, "from_expression_element"), (sides[0], sides[1]))


def _from_member(reader: Reader, element: BaseSegment, joined: tuple[Value, Value] | None) -> From:
    alias = alias_of(element)
    if alias is None:
        raise not_modelled(element, "no alias")
    expression = needed(element, "table_expression")
    array = _ARRAY.fullmatch(code(expression))
    if array is not None:
        return From(alias, reader.scope.resolve(array[1]), joined)
    inner = child(expression, "bracketed")
    if inner is None:
        raise not_modelled(element, "neither an array nor a query")
    return From(alias, read_query(reader, needed(inner, "select_statement")), joined)
