"""What there is at one moment: tables, sessions with what they have changed and locked, and locks of the dead."""

from __future__ import annotations

from typing import NamedTuple

from explorer.program import MODELLED, TABLES

Row = tuple[object, ...]
Tables = tuple[tuple[Row, ...], ...]

# A table by its place, and what of it: None for the whole, or a row.
Lock = tuple[int, object]

COLUMN = {name: {column: place for place, column in enumerate(columns)} for name, columns in MODELLED.items()}
PLACE = {name: place for place, name in enumerate(TABLES)}


class Planned(NamedTuple):
    """An element of a plan."""

    place: int
    first: int
    run: str
    key: str
    event_id: str
    seq: int
    seen: int
    is_new: bool
    differs: bool


class Chosen(NamedTuple):
    """A run to archive."""

    place: int
    run: str
    last_seq: int


class Added(NamedTuple):
    """A row that a transaction inserts."""

    table: int
    row: Row


class Changed(NamedTuple):
    """A row that a transaction updates: the one with these values gets those, or becomes `row` as a whole."""

    table: int
    where: tuple[tuple[int, object], ...]
    sets: tuple[tuple[int, object], ...]
    row: Row
    is_whole: bool


class Dropped(NamedTuple):
    """A row that a transaction deletes."""

    table: int
    row: Row


Edit = Added | Changed | Dropped


class Work(NamedTuple):
    """A statement under way: the tables if it keeps what it saw, the rows it has done, and what they came to."""

    seen: Tables | None
    is_whole: bool
    done: frozenset[int]
    edits: tuple[Edit, ...]
    rows: int


class Session(NamedTuple):
    """A session in a call of its client's; `at` is below 0 after the last. `floor` is the oldest version it may see."""

    client: int
    call: int
    at: int
    env: tuple[object, ...]
    rows: int | None
    floor: int
    is_open: bool
    is_inside: bool
    edits: tuple[Edit, ...]
    locks: frozenset[Lock]
    work: Work | None
    error: str | None
    is_orphan: bool


class State(NamedTuple):
    """Everything: the versions of the tables that can still be seen, sessions, and locks of sessions that are gone."""

    versions: tuple[Tables, ...]
    sessions: tuple[Session, ...]
    abandoned: tuple[frozenset[Lock], ...]
    deaths: int


class Broken(NamedTuple):
    """An invariant that does not hold, and what shows it."""

    invariant: str
    what: str


class Step(NamedTuple):
    """What can happen next; the error that a call ended with, if one did."""

    label: str
    state: State
    broken: Broken | None = None
    error: str | None = None


def committed(tables: Tables, edits: tuple[Edit, ...]) -> Tables:
    """Return the newest tables with what a transaction did to them."""
    return _edited(tables, edits, False)


def laid_over(tables: Tables, edits: tuple[Edit, ...]) -> Tables:
    """Return tables as the transaction sees them that made these edits: its own rows as it wrote them."""
    return _edited(tables, edits, True)


def _edited(tables: Tables, edits: tuple[Edit, ...], for_itself: bool) -> Tables:
    lists = list(tables)
    for edit in edits:
        rows = lists[edit.table]
        if isinstance(edit, Added):
            rows = (*rows, edit.row)
        elif isinstance(edit, Dropped):
            rows = tuple(row for row in rows if row != edit.row)
        else:
            rows = tuple(_changed(row, edit, for_itself) for row in rows)
            if for_itself and edit.row not in rows:
                rows = (*rows, edit.row)
        lists[edit.table] = tuple(sorted(rows, key=repr))
    return tuple(lists)


def _changed(row: Row, edit: Changed, for_itself: bool) -> Row:
    if any(row[place] != value for place, value in edit.where):
        return row
    if for_itself or edit.is_whole:
        return edit.row
    sets = dict(edit.sets)
    return tuple(sets.get(place, value) for place, value in enumerate(row))
