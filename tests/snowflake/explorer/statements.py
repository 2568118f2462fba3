"""Statements on tables: classified from the parse tree, with the columns that they match on, test and write."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sqlfluff.core.parser import BaseSegment

from bench import script
from explorer.arrays import MEMBERS, read_query
from explorer.catalog import Catalog
from explorer.plans import read_select
from explorer.program import (
    ALWAYS_NULL,
    MODELLED,
    Change,
    Equal,
    Extreme,
    Field,
    FromSource,
    FromTarget,
    Instruction,
    IsNull,
    Literal,
    Match,
    Merge,
    Move,
    NewValue,
    Opaque,
    Query,
    Remove,
    Sum,
    TouchAll,
)
from explorer.segments import Reader, Scope, child, code, members, needed, not_modelled, parsed

_OF_RUNS = re.compile(
    r"(?:(\w+)\.)?RUN_ID IN\(SELECT (\w+)\.VALUE:runId::VARCHAR FROM TABLE\(FLATTEN\(INPUT=>:(\w+)\)\)AS \2\)"
)


def read_statement(catalog: Catalog, scope: Scope, node: script.Sql) -> Instruction:
    """Return what a statement does."""
    segment = parsed(node.fragment.text)
    readers = {"SELECT": read_select, "MERGE": _merge, "INSERT": _insert, "UPDATE": _update, "DELETE": _delete}
    reader = readers.get(node.kind)
    if reader is None:
        raise not_modelled(segment, f"{node.kind} is not modelled")
    return reader(Reader(catalog, scope, node.into), segment)


def _table(segment: BaseSegment) -> str:
    name = needed(segment, "table_reference").raw_upper
    if name not in MODELLED:
        raise not_modelled(segment, f"writes {name}")
    return name


def _merge(reader: Reader, segment: BaseSegment) -> Merge:
    table = _table(segment)
    aliases = [
        needed(part, "naked_identifier").raw_upper for part in segment.segments if part.is_type("alias_expression")
    ]
    if len(aliases) != 2:
        raise not_modelled(segment, "two aliases are expected")
    of = _Sides(table, *aliases)
    source = read_query(reader, needed(needed(segment, "bracketed"), "select_statement"))
    on = tuple(of.matches(needed(needed(segment, "join_on_condition"), "expression")))
    changes: list[Change] = []
    inserts: list[tuple[tuple[str, NewValue], ...]] = []
    for clause in needed(segment, "merge_match").segments:
        if clause.is_type("merge_when_matched_clause"):
            test = child(clause, "expression")
            update = needed(clause, "merge_update_clause")
            conditions = () if test is None else tuple(of.matches(test))
            changes.append(Change(conditions, tuple(of.sets(update))))
        elif clause.is_type("merge_when_not_matched_clause"):
            if child(clause, "expression") is not None:
                raise not_modelled(clause, "a condition for rows that are not matched")
            inserts.append(tuple(of.inserted(needed(clause, "merge_insert_clause"))))
        elif clause.is_code:
            raise not_modelled(clause, "a clause that the model does not know")
    if len(changes) > 1 or len(inserts) > 1:
        raise not_modelled(segment, "more than one clause of a kind")
    merge = Merge(table, source, on, changes[0] if changes else None, inserts[0] if inserts else None)
    _check_columns(segment, merge)
    return merge


@dataclass
class _Sides:
    """The two sides of a MERGE by their aliases."""

    table: str
    target: str
    source: str

    def matches(self, expression: BaseSegment) -> Iterator[Match]:
        for text in code(expression).split(" AND "):
            equal = re.fullmatch(rf"{self.target}\.(\w+)={self.source}\.(\w+)", text)
            is_null = re.fullmatch(rf"{self.target}\.(\w+) IS NULL", text)
            if equal is not None and equal[1] in MODELLED[self.table]:
                yield Equal(equal[1], equal[2])
            elif is_null is not None and is_null[1] in MODELLED[self.table]:
                yield IsNull(is_null[1])
            elif is_null is None or is_null[1] not in ALWAYS_NULL.get(self.table, ()):
                raise not_modelled(expression, f"the condition {text!r}")

    def sets(self, update: BaseSegment) -> Iterator[tuple[str, NewValue]]:
        for clause in update.recursive_crawl("set_clause"):
            column, _, value = code(clause).partition("=")
            if column in MODELLED[self.table]:
                yield column, self.new_value(clause, value)

    def inserted(self, clause: BaseSegment) -> Iterator[tuple[str, NewValue]]:
        columns = members(needed(clause, "bracketed"))
        values = members(needed(needed(clause, "values_clause"), "bracketed"))
        for column, value in zip(columns, values, strict=True):
            if column.raw_upper in MODELLED[self.table]:
                yield column.raw_upper, self.new_value(clause, code(value))

    def new_value(self, clause: BaseSegment, text: str) -> NewValue:
        if of_source := re.fullmatch(rf"{self.source}\.(\w+)", text):
            return FromSource(of_source[1])
        if of_target := re.fullmatch(rf"{self.target}\.(\w+)", text):
            return FromTarget(of_target[1])
        if added := re.fullmatch(rf"{self.target}\.(\w+)\+{self.source}\.(\w+)", text):
            return Sum(added[1], added[2])
        if re.fullmatch(r"\d+", text):
            return Literal(int(text))
        raise not_modelled(clause, f"the value {text!r}")


def _check_columns(segment: BaseSegment, merge: Merge) -> None:
    """Fail unless the model computes every column of the source that it needs."""
    used: list[Match | NewValue] = [*(merge.on or ()), *(value for _, value in merge.inserts or ())]
    if merge.matched is not None:
        used += [*merge.matched.conditions, *(value for _, value in merge.matched.sets)]
    for each in used:
        if isinstance(each, Equal | Sum):
            _check_column(segment, merge.source, each.source)
        elif isinstance(each, FromSource):
            _check_column(segment, merge.source, each.name)


def _check_column(segment: BaseSegment, query: Query, name: str) -> None:
    value = dict(query.columns).get(name)
    if isinstance(value, Extreme):
        value = value.of
    if value is None or isinstance(value, Opaque):
        raise not_modelled(segment, f"the model does not compute {name}")
    if isinstance(value, Field):
        of = next((member.of for member in query.members if member.alias == value.alias), None)
        if isinstance(of, Query):
            _check_column(segment, of, value.name)
        elif of is None or value.name not in MEMBERS:
            raise not_modelled(segment, f"the model does not compute {name}")


def _insert(reader: Reader, segment: BaseSegment) -> Instruction:
    table = _table(segment)
    columns = [part.raw_upper for part in members(needed(segment, "bracketed"))]
    select = needed(segment, "select_statement")
    elements = list(needed(select, "select_clause").recursive_crawl("select_clause_element", recurse_into=False))
    origin = [part.raw_upper for part in needed(select, "from_clause").recursive_crawl("table_reference")]
    if not origin:
        query = read_query(reader, select)
        pairs = zip(columns, query.columns, strict=True)
        inserts = tuple((column, FromSource(name)) for column, (name, _) in pairs if column in MODELLED[table])
        merge = Merge(table, query, None, None, inserts)
        _check_columns(segment, merge)
        return merge
    if [code(element).rpartition(".")[2] for element in elements] != columns or len(origin) != 1:
        raise not_modelled(segment, "rows that are not moved as they are")
    if MODELLED.get(origin[0]) != MODELLED[table]:
        raise not_modelled(segment, f"rows of {origin[0]} in {table}")
    return Move(table, origin[0], _runs(reader, select))


def _delete(reader: Reader, segment: BaseSegment) -> Remove:
    references = [part.raw_upper for part in segment.recursive_crawl("table_reference")]
    if len(references) != 1 or references[0] not in MODELLED:
        raise not_modelled(segment, "a DELETE that the model does not know")
    return Remove(references[0], _runs(reader, segment))


def _runs(reader: Reader, segment: BaseSegment) -> str:
    """Return the array that the rows' runs are in."""
    where = code(needed(needed(segment, "where_clause"), "expression"))
    of_runs = _OF_RUNS.fullmatch(where)
    if of_runs is None:
        raise not_modelled(segment, "rows that are not chosen by an array of runs")
    return reader.scope.resolve(of_runs[3])


def _update(reader: Reader, segment: BaseSegment) -> TouchAll:
    table = _table(segment)
    columns = {code(clause).partition("=")[0] for clause in segment.recursive_crawl("set_clause")}
    if columns & set(MODELLED[table]) or child(segment, "where_clause", "from_clause") is not None:
        raise not_modelled(segment, "an UPDATE that is not the lock's")
    return TouchAll(table)
