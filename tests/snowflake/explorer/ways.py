"""How a statement that changes tables may go on: what it would do, and which locks it needs for it, under the rules.

On a standard table it takes its lock and does everything at once. On a hybrid table a MERGE does the rows of its source
one by one, in any order, locks each row, and finds a key that another session took meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from explorer.effects import Effect, SourceRow, effect_of, keys_of, merged, source_rows
from explorer.program import MODELLED, Data, Merge, Move, NotModelled, Program, Remove, TouchAll
from explorer.rules import Rules
from explorer.state import PLACE, Added, Changed, Dropped, Edit, Lock, Row, Session, State, Tables, Work, laid_over

DUPLICATE = "a key is taken"

_NO_LOCK: frozenset[Lock] = frozenset()
_NOTHING = Effect((), 0, frozenset())


class Way(NamedTuple):
    """One way to go on, as soon as these locks are free: where it leads, or an error."""

    label: str
    session: Session
    takes: frozenset[Lock]
    error: str | None = None


class Ways:
    """The ways of the sessions that run these programs."""

    def __init__(self, programs: Sequence[Program], rules: Rules) -> None:
        self._programs, self._rules = programs, rules
        self._tables = {table.name: table for table in programs[0].tables}
        self._seen: dict[tuple[Tables, tuple[Edit, ...]], Tables] = {}
        self._sources: dict[tuple[int, int, tuple[object, ...]], list[SourceRow]] = {}

    def title(self, session: Session) -> str:
        """Return the statement that the session stands at, in short."""
        instruction = self._data(session)
        if isinstance(instruction, TouchAll):
            return f"UPDATE {instruction.table}"
        if isinstance(instruction, Remove):
            return f"DELETE FROM {instruction.table}"  # noqa: S608 - a label
        is_merge = isinstance(instruction, Merge) and instruction.on is not None
        return f"{'MERGE' if is_merge else 'INSERT'} INTO {instruction.table}"

    def visible(self, state: State, session: Session) -> range:
        """Return the versions of the tables that a query of the session may see, the newest first."""
        newest = len(state.versions) - 1
        return range(newest, (session.floor if self._rules.look == "older" else newest) - 1, -1)

    def seen_by(self, session: Session, tables: Tables) -> Tables:
        """Return tables with what the session itself has changed."""
        return self._laid_over(tables, session.edits)

    def of(self, state: State, session: Session) -> Iterator[Way]:
        """Return the ways in which the session's statement may go on, now or later."""
        instruction = self._data(session)
        if not session.is_open:
            raise NotModelled(f"{self.title(session)} outside of a transaction")
        if isinstance(instruction, Move):
            for version in self.visible(state, session):
                effect = self._effect(session, self.seen_by(session, state.versions[version]))
                yield self._done(session, effect, _NO_LOCK, ago(len(state.versions) - 1 - version))
        elif session.work is not None:
            yield from self._of(state, session, session.work)
        else:
            if "re-reads" in self._rules.waited or isinstance(instruction, TouchAll):
                yield from self._of(state, session, Work(None, False, frozenset(), (), 0))
            yield from self._beginnings(state, session)

    def _data(self, session: Session) -> Data:
        instruction = self._programs[session.client].instructions[session.at]
        assert isinstance(instruction, Merge | TouchAll | Move | Remove)
        return instruction

    def _beginnings(self, state: State, session: Session) -> Iterator[Way]:
        """Return the ways of a statement that goes by what it sees when it begins, however long it waits after that."""
        instruction = self._data(session)
        if isinstance(instruction, TouchAll):
            return
        # Whether rows are written back as a whole makes no difference where there is nothing else in them.
        overwrites = (
            isinstance(instruction, Merge)
            and instruction.matched is not None
            and len(instruction.on or ()) < len(MODELLED[instruction.table])
        )
        choices = {rule == "overwrites" and overwrites for rule in self._rules.waited if rule != "re-reads"}
        for is_whole in sorted(choices):
            begun = session._replace(work=Work(state.versions[-1], is_whole, frozenset(), (), 0))
            yield Way(f"{self.title(session)} begins{', with whole rows' if is_whole else ''}", begun, _NO_LOCK)

    def _of(self, state: State, session: Session, work: Work) -> Iterator[Way]:
        instruction = self._data(session)
        if isinstance(instruction, Merge) and self._tables[instruction.table].is_hybrid:
            yield from self._row_by_row(state, session, instruction, work)
            return
        seen = state.versions[-1] if work.seen is None else work.seen
        effect = _written(self._effect(session, self.seen_by(session, seen)), work)
        for locks in self._locks(instruction, effect):
            yield self._done(session, effect, locks)

    def _locks(self, instruction: Data, effect: Effect) -> list[frozenset[Lock]]:
        """Return the locks that the statement may need for what it does, one set for each way."""
        if isinstance(instruction, Merge) and instruction.on is None:
            return [_NO_LOCK]
        table = PLACE[instruction.table]
        if self._tables[instruction.table].is_hybrid:
            keys = self._tables[instruction.table].keys
            dropped = [edit.row for edit in effect.edits if isinstance(edit, Dropped)]
            return [frozenset(lock for row in dropped for lock in _row_keys(instruction.table, row, keys))]
        whole: frozenset[Lock] = frozenset({(table, None)})
        if effect.changed:
            return [whole if self._rules.covers == "table" else frozenset((table, row) for row in effect.changed)]
        choices = self._rules.insert if effect.rows else self._rules.nothing
        return [whole if choice == "lock" else _NO_LOCK for choice in choices]

    def _done(self, session: Session, effect: Effect, locks: frozenset[Lock], note: str = "") -> Way:
        edits = session.edits + effect.edits
        after = session._replace(at=session.at + 1, edits=edits, rows=effect.rows, work=None, is_inside=True)
        return Way(f"{self.title(session)}{note}, {_rows(effect.rows)}", after, locks)

    # Row by row -----------------------------------------------------------------------------------------------------

    def _row_by_row(self, state: State, session: Session, merge: Merge, work: Work) -> Iterator[Way]:
        sources = self._source(session, merge)
        if not sources:
            yield self._done(session, _NOTHING, _NO_LOCK)
        for number, source in enumerate(sources):
            if number in work.done:
                continue
            own = session.edits + work.edits
            seen = self._laid_over(state.versions[-1] if work.seen is None else work.seen, own)
            effect = _written(merged(merge, source, seen[PLACE[merge.table]]), work)
            label = f"{self.title(session)}, row {number + 1}"
            locks = self._row_locks(merge, effect)
            newest = self._laid_over(state.versions[-1], own)
            if any(isinstance(edit, Added) for edit in effect.edits) and locks & self._keys(merge.table, newest):
                yield Way(f"{label}, but {DUPLICATE}", session, locks, DUPLICATE)
                continue
            done = work._replace(
                done=work.done | {number}, edits=work.edits + effect.edits, rows=work.rows + effect.rows
            )
            if len(done.done) == len(sources):
                way = self._done(session, Effect(done.edits, done.rows, frozenset()), locks)
                yield way._replace(label=f"{label}, {_rows(effect.rows)}")
            else:
                yield Way(f"{label}, {_rows(effect.rows)}", session._replace(work=done), locks)

    def _row_locks(self, merge: Merge, effect: Effect) -> frozenset[Lock]:
        """Return the locks of a row: its first key when it is changed, all of its keys when it is new."""
        keys = self._tables[merge.table].keys
        locks: set[Lock] = set()
        for edit in effect.edits:
            if isinstance(edit, Added):
                locks |= _row_keys(merge.table, edit.row, keys)
            elif isinstance(edit, Changed):
                locks |= _row_keys(merge.table, edit.row, keys[:1])
        return frozenset(locks)

    def _keys(self, table: str, tables: Tables) -> set[Lock]:
        keys = self._tables[table].keys
        return {lock for row in tables[PLACE[table]] for lock in _row_keys(table, row, keys)}

    # What is computed more than once --------------------------------------------------------------------------------

    def _source(self, session: Session, merge: Merge) -> list[SourceRow]:
        cached = (id(self._programs[session.client]), session.at, session.env)
        if cached not in self._sources:
            self._sources[cached] = source_rows(merge.source, lambda name: self._variable(session, name))
        return self._sources[cached]

    def _effect(self, session: Session, seen: Tables) -> Effect:
        return effect_of(self._data(session), seen, lambda name: self._variable(session, name))

    def _variable(self, session: Session, name: str) -> object:
        return session.env[self._programs[session.client].places[name]]

    def _laid_over(self, tables: Tables, edits: tuple[Edit, ...]) -> Tables:
        if not edits:
            return tables
        if (tables, edits) not in self._seen:
            self._seen[tables, edits] = laid_over(tables, edits)
        return self._seen[tables, edits]


def ago(commits: int) -> str:
    """Return how old a version is, for a label; nothing for the newest."""
    if not commits:
        return ""
    return " of 1 commit ago" if commits == 1 else f" of {commits} commits ago"


def _written(effect: Effect, work: Work) -> Effect:
    return effect.as_whole_rows() if work.is_whole else effect


def _rows(count: int) -> str:
    return "1 row" if count == 1 else f"{count} rows"


def _row_keys(table: str, row: Row, keys: tuple[tuple[str, ...], ...]) -> set[Lock]:
    return {(PLACE[table], key) for key in keys_of(row, table, keys)}
