"""What a statement on tables would do, computed from its text's columns, conditions and joins."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from explorer.program import (
    MODELLED,
    Equal,
    Extreme,
    Field,
    FromSource,
    FromTarget,
    HowMany,
    Literal,
    Match,
    Merge,
    Move,
    NewValue,
    Opaque,
    Query,
    Remove,
    TouchAll,
    Value,
)
from explorer.state import COLUMN, PLACE, Added, Changed, Dropped, Edit, Row, Tables

Arrays = Callable[[str], object]
SourceRow = dict[str, object]

_ATTRIBUTE = {
    "index": "place",
    "firstIndex": "first",
    "runId": "run",
    "idempotencyKey": "key",
    "eventId": "event_id",
    "eventType": "event_type",
    "runSeq": "seq",
    "seenSeq": "seen",
    "isNew": "is_new",
    "differs": "differs",
    "lastSeq": "last_seq",
}


class Effect(NamedTuple):
    """What a statement would change: its edits, how many rows they are, and which of them were there before."""

    edits: tuple[Edit, ...]
    rows: int
    changed: frozenset[object]

    def as_whole_rows(self) -> Effect:
        """Return the same with updates that write whole rows back."""
        edits = tuple(edit._replace(is_whole=True) if isinstance(edit, Changed) else edit for edit in self.edits)
        return self._replace(edits=edits)


def source_rows(query: Query, arrays: Arrays) -> list[SourceRow]:
    """Return the rows of a query over arrays; columns that the model does not compute are left out."""
    matched: list[dict[str, object]] = [{}]
    for member in query.members:
        of = member.of
        elements: Sequence[object] = source_rows(of, arrays) if isinstance(of, Query) else _elements(arrays(of))
        matched = [
            {**row, member.alias: element}
            for row in matched
            for element in elements
            if member.joined is None or _joins({**row, member.alias: element}, *member.joined)
        ]
    matched = [row for row in matched if all(_single(value, row) for value in query.where)]
    groups: dict[object, list[dict[str, object]]] = {}
    is_grouped = bool(query.group_by)
    for number, row in enumerate(matched):
        key: object = number
        if is_grouped:
            key = tuple(_single(value, row) for value in query.group_by)
        elif query.one_per is not None:
            key = _single(query.one_per, row)
        groups.setdefault(key, []).append(row)
    return [
        {name: _grouped(value, rows) for name, value in query.columns if not isinstance(value, Opaque)}
        for rows in groups.values()
    ]


def _elements(array: object) -> Sequence[object]:
    assert isinstance(array, tuple), array
    return array


def _joins(row: dict[str, object], one: Value, other: Value) -> bool:
    return _single(one, row) == _single(other, row)


def _single(value: Value, row: dict[str, object]) -> object:
    if isinstance(value, Literal):
        return value.value
    assert isinstance(value, Field), value
    element = row[value.alias]
    if isinstance(element, dict):
        return element.get(value.name)
    return getattr(element, _ATTRIBUTE[value.name]) if value.name in _ATTRIBUTE else None


def _grouped(value: Value, rows: list[dict[str, object]]) -> object:
    if isinstance(value, HowMany):
        return len(rows)
    if isinstance(value, Extreme):
        return (min if value.kind == "MIN" else max)(_single(value.of, row) for row in rows)  # type: ignore[type-var]
    return _single(value, rows[0])


def effect_of(instruction: Merge | TouchAll | Move | Remove, view: Tables, arrays: Arrays) -> Effect:
    """Return what a statement would do to the tables as it sees them."""
    table = PLACE[instruction.table]
    if isinstance(instruction, TouchAll):
        return Effect((), len(view[table]), frozenset({"every row"} if view[table] else ()))
    if isinstance(instruction, Merge):
        effects = [merged(instruction, row, view[table]) for row in source_rows(instruction.source, arrays)]
        edits = tuple(edit for effect in effects for edit in effect.edits)
        return Effect(
            edits, sum(effect.rows for effect in effects), frozenset().union(*(effect.changed for effect in effects))
        )
    runs = {element.run for element in _elements(arrays(instruction.runs))}  # type: ignore[attr-defined]
    if isinstance(instruction, Move):
        rows = [row for row in view[PLACE[instruction.origin]] if row[0] in runs]
        return Effect(tuple(Added(table, row) for row in rows), len(rows), frozenset())
    rows = [row for row in view[table] if row[0] in runs]
    return Effect(tuple(Dropped(table, row) for row in rows), len(rows), frozenset(rows))


def merged(merge: Merge, source: SourceRow, target: tuple[Row, ...]) -> Effect:
    """Return what a MERGE would do for one row of its source."""
    columns, table = COLUMN[merge.table], PLACE[merge.table]
    matches = [] if merge.on is None else [row for row in target if _all_match(merge.on, source, row, columns)]
    if not matches:
        if merge.inserts is None:
            return Effect((), 0, frozenset())
        values = {name: _new_value(value, source, (), columns) for name, value in merge.inserts}
        return Effect((Added(table, tuple(values.get(name) for name in MODELLED[merge.table])),), 1, frozenset())
    edits: list[Edit] = []
    changed: set[object] = set()
    for row in matches:
        if merge.matched is not None and _all_match(merge.matched.conditions, source, row, columns):
            assert merge.on is not None
            where = tuple((columns[each.column], row[columns[each.column]]) for each in merge.on)
            sets = tuple((columns[name], _new_value(value, source, row, columns)) for name, value in merge.matched.sets)
            image = tuple(dict(sets).get(place, value) for place, value in enumerate(row))
            edits.append(Changed(table, where, sets, image, False))
            changed.add(where)
    return Effect(tuple(edits), len(edits), frozenset(changed))


def _all_match(matches: tuple[Match, ...], source: SourceRow, row: Row, columns: dict[str, int]) -> bool:
    return all(
        row[columns[each.column]] == (source[each.source] if isinstance(each, Equal) else None) for each in matches
    )


def _new_value(value: NewValue, source: SourceRow, row: Row, columns: dict[str, int]) -> object:
    if isinstance(value, Literal):
        return value.value
    if isinstance(value, FromSource):
        return source[value.name]
    if isinstance(value, FromTarget):
        return row[columns[value.name]]
    one, other = row[columns[value.target]], source[value.source]
    assert isinstance(one, int)
    assert isinstance(other, int)
    return one + other


def keys_of(row: Row, table: str, keys: tuple[tuple[str, ...], ...]) -> Iterator[tuple[tuple[str, ...], Row]]:
    """Return what a row says in each of its table's keys."""
    for key in keys:
        yield key, tuple(row[COLUMN[table][column]] for column in key)
