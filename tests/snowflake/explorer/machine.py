"""What may happen next: sessions that run programs over shared tables, one step at a time.

A step is one statement that others can notice, or one row of it where rows are locked one by one. What a transaction
changes is seen by itself until COMMIT, which lays the changes over the newest tables. All is READ COMMITTED: every
statement looks at the tables afresh, or as the rules let it. A call that failed for a reason that passes is sent again;
how often is not counted, so a client that gives up is one whose next try does not come.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from explorer import condition, invariants, locks
from explorer.planning import chosen, planned
from explorer.program import (
    TABLES,
    UNKNOWN,
    Assign,
    Begin,
    Choose,
    Commit,
    CountRows,
    Fail,
    FailAgain,
    ForgetRows,
    GoTo,
    Learn,
    Look,
    Merge,
    Move,
    NotModelled,
    Program,
    Remove,
    Return,
    Rollback,
    TouchAll,
    Unknown,
    Unless,
)
from explorer.reader import RACED
from explorer.rules import Rules
from explorer.scenarios import ARCHIVES, Call, Scenario
from explorer.state import Broken, Row, Session, State, Step, Tables, committed
from explorer.ways import DUPLICATE, Ways, ago

NOT_GOT = "the lock is not got"
INCOMPLETE = "the transaction was left open"
_PASSES = (RACED, NOT_GOT, DUPLICATE, INCOMPLETE)


class End(NamedTuple):
    """How a call ended: with an answer, or with an error."""

    answer: object
    error: str | None


class Machine:
    """A scenario under rules: clients that run a procedure for appends, and one that archives where there is one."""

    def __init__(self, scenario: Scenario, rules: Rules, append: Program, archive: Program | None = None) -> None:
        self._scenario, self._rules, self._append = scenario, rules, append
        self._programs = [self._program(client.calls, append, archive) for client in scenario.clients]
        self._ways = Ways(self._programs, rules)
        self._sent: set[Row] = {
            tuple(event[1:]) for client in scenario.clients for call in client.calls for event in call
        }
        self._plans = [
            append.places[name]
            for instruction in append.instructions
            if isinstance(instruction, Look)
            for name, meaning in instruction.into
            if meaning == "plan"
        ]

    @staticmethod
    def _program(calls: tuple[Call, ...], append: Program, archive: Program | None) -> Program:
        if calls != ARCHIVES:
            return append
        if archive is None:
            raise ValueError("an archiver needs a procedure")
        return archive

    # The beginning and the end --------------------------------------------------------------------------------------

    def start(self) -> State:
        """Return the state in which every client is about to call, and what is stored before may not be seen yet."""
        rows: dict[str, list[Row]] = {name: [] for name in TABLES}
        seeded = {table.name: table.seeded for table in self._append.tables}["APPEND_LOCK"]
        rows["APPEND_LOCK"] = [()] * (seeded if self._scenario.lock_rows is None else self._scenario.lock_rows)
        empty = tuple(tuple(rows[name]) for name in TABLES)
        for run, keys in self._scenario.log:
            for number, key in enumerate(keys, 1):
                rows["RUN_EVENTS"].append((run, number, key, f"before-{run}-{key}", key))
                self._sent.add((run, key, f"before-{run}-{key}", key))
            rows["RUN_COUNTERS"].append((run, len(keys), None))
        filled = tuple(tuple(rows[name]) for name in TABLES)
        versions = (empty, filled) if self._rules.look == "older" and filled != empty else (filled,)
        sessions = tuple(self._fresh(client, 0, 0) for client in range(len(self._scenario.clients)))
        return State(versions, sessions, (), self._rules.deaths)

    def is_over(self, state: State) -> bool:
        """Return whether every call has ended and nothing is left of any session."""
        return not state.abandoned and all(session.at < 0 for session in state.sessions)

    def inside(self, state: State) -> int:
        """Return how many sessions stand between their first statement in a transaction and its end."""
        return sum(session.is_inside for session in state.sessions)

    def _fresh(self, client: int, call: int, floor: int) -> Session:
        calls, program = self._scenario.clients[client].calls, self._programs[client]
        session = Session(client, call, -1, (), None, 0, False, False, (), frozenset(), None, None, False)
        if call == len(calls):
            return session
        env: list[object] = [None] * len(program.variables)
        if calls != ARCHIVES:
            env[program.places[program.parameters[0]]] = calls[call]
        session, end = self._run(session._replace(at=0, env=tuple(env), floor=floor))
        if end is not None:
            raise NotModelled(f"{program.name} ends before it looks at anything")
        return session

    # What one session does by itself --------------------------------------------------------------------------------

    def _run(self, session: Session) -> tuple[Session, End | None]:
        """Go on to the next statement that others can notice, or to the end."""
        program = self._programs[session.client]
        while True:
            instruction = program.instructions[session.at]
            if isinstance(instruction, GoTo):
                session = session._replace(at=instruction.target)
            elif isinstance(instruction, Unless):
                is_true = condition.value_of(instruction.condition, program.places, session.env)
                session = session._replace(at=session.at + 1 if is_true is True else instruction.target)
            elif isinstance(instruction, Assign):
                session = self._set(session, {instruction.variable: _assigned(instruction, program, session)})
            elif isinstance(instruction, CountRows):
                session = self._set(session, {instruction.variable: session.rows})
            elif isinstance(instruction, ForgetRows):
                session = session._replace(at=session.at + 1, rows=None)
            elif isinstance(instruction, Learn):
                learned = {name: self._learned(session, meaning) for name, meaning in instruction.into}
                session = self._set(session._replace(rows=None), learned)
            elif isinstance(instruction, Begin):
                session = session._replace(at=session.at + 1, rows=None, is_open=True)
            elif isinstance(instruction, Commit | Rollback) and not session.is_open:
                session = session._replace(at=session.at + 1, rows=None)
            elif isinstance(instruction, Return):
                answer = None if instruction.variable is None else session.env[program.places[instruction.variable]]
                return session, End(answer, INCOMPLETE if session.is_open else None)
            elif isinstance(instruction, Fail | FailAgain):
                code = instruction.code if isinstance(instruction, Fail) else session.error
                session, end = self._failed(session, str(code))
                if end is not None:
                    return session, end
            else:
                return session, None

    def _set(self, session: Session, values: dict[str, object]) -> Session:
        places, env = self._programs[session.client].places, list(session.env)
        for name, value in values.items():
            env[places[name]] = value
        return session._replace(env=tuple(env), at=session.at + 1)

    def _learned(self, session: Session, meaning: str) -> object:
        if meaning == "nothing":
            return None
        if meaning == "events":
            return self._call(session)
        return len(self._call(session)) if meaning == "size of events" else UNKNOWN

    def _call(self, session: Session) -> Call:
        return self._scenario.clients[session.client].calls[session.call]

    def _failed(self, session: Session, code: str) -> tuple[Session, End | None]:
        """Let a statement fail, which undoes itself and nothing else: the handler goes on, or the call ends."""
        handler = self._programs[session.client].handlers[session.at]
        session = session._replace(work=None, rows=None)
        if handler is None:
            return session, End(None, code)
        return session._replace(at=handler, error=code), None

    # Steps ----------------------------------------------------------------------------------------------------------

    def steps(self, state: State) -> Iterator[Step]:
        """Return everything that can happen next."""
        for place, session in enumerate(state.sessions):
            if session.at >= 0:
                yield from self._statement(state, place, session)
                if state.deaths and session.is_open and not session.is_orphan:
                    yield from self._deaths(state, place, session)
        for place, held in enumerate(state.abandoned):
            rest = state.abandoned[:place] + state.abandoned[place + 1 :]
            yield Step(f"a dead session is rolled back and frees {locks.shown(held)}", state._replace(abandoned=rest))

    def _name(self, session: Session) -> str:
        return self._scenario.clients[session.client].name + ("'s lost call" if session.is_orphan else "")

    def _statement(self, state: State, place: int, session: Session) -> Iterator[Step]:
        instruction = self._programs[session.client].instructions[session.at]
        if isinstance(instruction, Look | Choose):
            for version in self._ways.visible(state, session):
                yield self._looks(state, place, session, instruction, version)
        elif isinstance(instruction, Commit):
            yield self._commits(state, place, session)
        elif isinstance(instruction, Rollback):
            yield self._settled(state, place, _ended(session), None, f"{self._name(session)}: ROLLBACK")
        else:
            yield from self._changes(state, place, session)

    def _looks(self, state: State, place: int, session: Session, query: Look | Choose, version: int) -> Step:
        seen = self._ways.seen_by(session, state.versions[version])
        meant, note = planned(query, self._call(session), seen) if isinstance(query, Look) else chosen(seen)
        after = self._set(session, {name: meant.get(meaning, UNKNOWN) for name, meaning in query.into})
        old = ago(len(state.versions) - 1 - version)
        label = f"{self._name(session)}: SELECT{old} {note}"
        return self._settled(state, place, after._replace(rows=None, is_inside=session.is_open), None, label)

    def _changes(self, state: State, place: int, session: Session) -> Iterator[Step]:
        name = self._name(session)
        waits = goes_on = False
        for way in self._ways.of(state, session):
            if not locks.are_free(state, place, way.takes):
                waits = True
                continue
            goes_on = True
            if way.error is not None:
                yield self._settled(state, place, *self._failed(way.session, way.error), f"{name}: {way.label}")
            else:
                after = way.session._replace(locks=way.session.locks | way.takes)
                yield self._settled(state, place, after, None, f"{name}: {way.label}")
        if waits and (self._rules.waits_fail or (not goes_on and self._is_deadlocked(state, place))):
            label = f"{name}: {self._ways.title(session)} waits, and gets an error"
            yield self._settled(state, place, *self._failed(session, NOT_GOT), label)

    def _is_deadlocked(self, state: State, place: int) -> bool:
        return locks.is_deadlocked(place, lambda other: self._waits_for(state, other))

    def _waits_for(self, state: State, place: int) -> set[int]:
        """Return the sessions that keep one from going on; none while there is a way for it."""
        session = state.sessions[place]
        if session.at < 0:
            return set()
        instruction = self._programs[session.client].instructions[session.at]
        if not isinstance(instruction, Merge | TouchAll | Move | Remove):
            return set()
        ways = list(self._ways.of(state, session))
        if any(locks.are_free(state, place, way.takes) for way in ways):
            return set()
        return {holder for way in ways for holder in locks.holders(state, place, way.takes)}

    def _commits(self, state: State, place: int, session: Session) -> Step:
        before = state.versions[-1]
        after = committed(before, session.edits)
        floor, versions = session.floor, state.versions
        if after != before:
            versions = (*versions, after)
            floor = len(versions) - 1
        label = f"{self._name(session)}: COMMIT"
        step = self._settled(
            state._replace(versions=versions), place, _ended(session)._replace(floor=floor), None, label
        )
        broken = self._broken_by_commit(session, before, after)
        return step if broken is None else step._replace(broken=broken)

    def _deaths(self, state: State, place: int, session: Session) -> Iterator[Step]:
        again = self._fresh(session.client, session.call, 0)
        sessions = (*state.sessions[:place], again, *state.sessions[place + 1 :])
        after = state._replace(sessions=sessions, deaths=state.deaths - 1)
        if session.locks or session.edits or session.work:
            yield Step(f"{self._name(session)} dies, and sends its call again", _abandoning(after, session))
        yield Step(
            f"{self._name(session)} loses its connection, and sends its call again while the first goes on",
            after._replace(sessions=(*sessions, session._replace(is_orphan=True))),
        )

    def _settled(self, state: State, place: int, session: Session, end: End | None, label: str) -> Step:
        """Let the session go on by itself to its next statement, and end its call if that is where it leads."""
        if end is None:
            session, end = self._run(session)
        if end is None:
            return Step(label, self._with(state, place, session))
        state = _abandoning(state, session)
        broken: Broken | None = None
        if end.error is None:
            label += ", and answers"
            broken = self._broken_by_answer(state, session, end.answer)
        else:
            label += f", and fails: {end.error}"
            if end.error not in _PASSES:
                broken = self._broken_by_refusal(state, session, end.error)
        if session.is_orphan:
            rest = state.sessions[:place] + state.sessions[place + 1 :]
            return Step(label, self._trimmed(state._replace(sessions=rest)), broken, end.error)
        next_call = session.call if end.error in _PASSES else session.call + 1
        following = self._fresh(session.client, next_call, session.floor)
        return Step(label, self._with(state, place, following), broken, end.error)

    def _with(self, state: State, place: int, session: Session) -> State:
        return self._trimmed(state._replace(sessions=(*state.sessions[:place], session, *state.sessions[place + 1 :])))

    def _trimmed(self, state: State) -> State:
        """Forget the versions that nobody can see any more, so that equal states are the same."""
        newest = len(state.versions) - 1
        oldest = newest
        if self._rules.look == "older":
            floors = [session.floor for session in state.sessions if session.at >= 0]
            oldest = 0 if state.deaths else min(floors, default=newest)
        if not oldest:
            return state
        sessions = tuple(session._replace(floor=max(0, session.floor - oldest)) for session in state.sessions)
        return state._replace(versions=state.versions[oldest:], sessions=sessions)

    # Invariants -----------------------------------------------------------------------------------------------------

    def _broken_by_commit(self, session: Session, before: Tables, after: Tables) -> Broken | None:
        is_append = self._programs[session.client] is self._append
        broken = invariants.broken_by_tables(before, after, self._sent, self._append.writes("RUN_COUNTERS"))
        if broken is None and is_append and self._append.writes("ALERTS"):
            plan = session.env[self._plans[0]]
            assert isinstance(plan, tuple)
            broken = invariants.broken_by_alerts(before, after, plan)
        return broken

    def _broken_by_answer(self, state: State, session: Session, answer: object) -> Broken | None:
        if session.is_orphan or self._programs[session.client] is not self._append:
            return None
        return invariants.broken_by_answer(state.versions[-1], self._call(session), answer)

    def _broken_by_refusal(self, state: State, session: Session, code: str) -> Broken | None:
        if self._scenario.lock_rows is not None:
            return None
        return invariants.broken_by_refusal(state.versions[-1], self._call(session), code)


def _assigned(instruction: Assign, program: Program, session: Session) -> object:
    if isinstance(instruction.value, Unknown):
        return UNKNOWN
    try:
        return condition.value_of(instruction.value, program.places, session.env)
    except NotModelled:
        return UNKNOWN


def _ended(session: Session) -> Session:
    """Return the session behind the statement that ends its transaction."""
    return session._replace(at=session.at + 1, rows=None, is_open=False, is_inside=False, edits=(), locks=frozenset())


def _abandoning(state: State, session: Session) -> State:
    """Leave the locks of a session that is gone or whose call left its transaction open, until that is rolled back."""
    if not session.locks:
        return state
    return state._replace(abandoned=tuple(sorted((*state.abandoned, session.locks), key=repr)))
