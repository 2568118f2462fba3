"""Two sessions that really meet at a lock, step by step, in every isolation level.

Each race is told once: what is there before, what the first session does without committing, what the second one
then does, and what the second one must be told when the first commits and when it rolls back. In READ COMMITTED
it is told that at once. In REPEATABLE READ and SERIALIZABLE a commit of the first ends in 40001, and a retry is
told it.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import psycopg
import pytest
from appends import (
    LEVELS,
    Ack,
    Answer,
    Event,
    append,
    append_batch,
    append_named,
    event,
    impatient,
    set_level,
    signal,
    waiting,
)
from checker import check_log
from runstore.embedded import Server
from support import Connect, Connection, cloned

STRICT = LEVELS[1:]
UUID_1 = "11111111-1111-4111-8111-111111111111"

Send = Callable[[Connection, Sequence[Event]], list[Answer]]
Told = str | list[tuple[int, bool]]


def _one(connection: Connection, sent: Sequence[Event]) -> list[Answer]:
    return [append(connection, sent[0])]


def _named(connection: Connection, sent: Sequence[Event]) -> list[Answer]:
    return [append_named(connection, sent[0])]


@dataclass(frozen=True)
class Call:
    """One call: how it is sent, and what."""

    send: Send
    events: list[Event]

    def told(self, connection: Connection) -> tuple[Told, list[Ack]]:
        """Make the call, and return the sequence numbers and whether they are repeats, or the SQLSTATE."""
        try:
            answers = self.send(connection, self.events)
        except psycopg.Error as error:
            return str(error.sqlstate), []
        return [(a.run_seq, a.idempotent) for a in answers], list(zip(self.events, answers, strict=True))


@dataclass(frozen=True)
class Race:
    """Two calls that meet, and what the second one is told."""

    before: list[Event]
    first: Call
    second: Call
    commit: Told
    rollback: Told


def one(*events: Event) -> Call:
    """One event in its JSON form."""
    return Call(_one, list(events))


def named(*events: Event) -> Call:
    """One event by named arguments."""
    return Call(_named, list(events))


def batch(*events: Event) -> Call:
    """A batch."""
    return Call(append_batch, list(events))


START = [event("run", "start")]
OTHER_TENANT = {"tenantId": "other"}

RACES = {
    "another_event_of_a_run": Race(
        START, named(event("run", "a")), named(event("run", "b")), commit=[(3, False)], rollback=[(2, False)]
    ),
    "the_same_event": Race(
        START, named(event("run", "a")), named(event("run", "a")), commit=[(2, True)], rollback=[(2, False)]
    ),
    "the_same_event_as_json": Race(
        START, one(event("run", "a")), one(event("run", "a")), commit=[(2, True)], rollback=[(2, False)]
    ),
    "another_first_event": Race(
        [], named(event("run", "a")), named(event("run", "b")), commit=[(2, False)], rollback=[(1, False)]
    ),
    "the_same_first_event": Race(
        [], named(event("run", "a")), named(event("run", "a")), commit=[(1, True)], rollback=[(1, False)]
    ),
    "a_first_event_of_another_tenant": Race(
        [],
        named(event("run", "a")),
        named(event("run", "b", **OTHER_TENANT)),
        commit="RS002",
        rollback=[(1, False)],
    ),
    "the_same_first_event_of_another_tenant": Race(
        [],
        named(event("run", "a")),
        named(event("run", "a", **OTHER_TENANT)),
        commit="RS002",
        rollback=[(1, False)],
    ),
    "the_same_event_id_under_another_key": Race(
        START,
        named(event("run", "a", eventId=UUID_1)),
        named(event("run", "b", eventId=UUID_1)),
        commit="RS003",
        rollback=[(2, False)],
    ),
    "the_same_event_id_in_a_new_run": Race(
        [],
        named(event("run", "a", eventId=UUID_1)),
        named(event("run", "b", eventId=UUID_1)),
        commit="RS003",
        rollback=[(1, False)],
    ),
    "a_batch_after_a_single": Race(
        START,
        named(event("run", "a")),
        batch(event("run", "b"), event("other", "c"), event("run", "d")),
        commit=[(3, False), (1, False), (4, False)],
        rollback=[(2, False), (1, False), (3, False)],
    ),
    "a_batch_with_the_event_of_a_single": Race(
        START,
        named(event("run", "a")),
        batch(event("run", "a"), event("run", "b")),
        commit=[(2, True), (3, False)],
        rollback=[(2, False), (3, False)],
    ),
    "a_single_after_a_batch": Race(
        START,
        batch(event("run", "a"), event("other", "b"), event("run", "c")),
        named(event("run", "d")),
        commit=[(4, False)],
        rollback=[(2, False)],
    ),
    "a_single_with_an_event_of_a_batch": Race(
        START,
        batch(event("run", "a"), event("other", "b"), event("run", "c")),
        named(event("run", "c")),
        commit=[(3, True)],
        rollback=[(2, False)],
    ),
    "a_single_with_an_event_of_a_batch_on_a_new_run": Race(
        [],
        batch(event("run", "a"), event("run", "b")),
        named(event("run", "b")),
        commit=[(2, True)],
        rollback=[(1, False)],
    ),
    "a_batch_on_the_new_run_of_a_single": Race(
        [],
        named(event("run", "a")),
        batch(event("run", "b"), event("run", "a")),
        commit=[(2, False), (1, True)],
        rollback=[(1, False), (2, False)],
    ),
    "a_batch_after_a_batch": Race(
        START,
        batch(event("run", "a"), event("run", "b")),
        batch(event("run", "c"), event("run", "d")),
        commit=[(4, False), (5, False)],
        rollback=[(2, False), (3, False)],
    ),
    "the_same_batch": Race(
        START,
        batch(event("run", "a"), event("run", "b")),
        batch(event("run", "a"), event("run", "b")),
        commit=[(2, True), (3, True)],
        rollback=[(2, False), (3, False)],
    ),
    "the_same_batch_of_a_new_run": Race(
        [],
        batch(event("run", "a"), event("run", "b")),
        batch(event("run", "b"), event("run", "a")),
        commit=[(2, True), (1, True)],
        rollback=[(1, False), (2, False)],
    ),
    "batches_with_two_new_runs_in_opposite_orders": Race(
        [],
        batch(event("run-1", "a"), event("run-2", "a")),
        batch(event("run-2", "b"), event("run-1", "b")),
        commit=[(2, False), (2, False)],
        rollback=[(1, False), (1, False)],
    ),
    "batches_with_old_and_new_runs_in_opposite_orders": Race(
        [event("run-1", "start"), event("run-4", "start")],
        batch(event("run-1", "a"), event("run-2", "a"), event("run-3", "a"), event("run-4", "a")),
        batch(event("run-4", "b"), event("run-3", "b"), event("run-2", "b"), event("run-1", "b")),
        commit=[(3, False), (2, False), (2, False), (3, False)],
        rollback=[(2, False), (1, False), (1, False), (2, False)],
    ),
    "a_batch_on_a_new_run_of_another_tenant": Race(
        [],
        batch(event("run", "a")),
        batch(event("free", "b"), event("run", "b", **OTHER_TENANT)),
        commit="RS002",
        rollback=[(1, False), (1, False)],
    ),
    "a_batch_with_the_same_event_id": Race(
        START,
        batch(event("run", "a", eventId=UUID_1)),
        batch(event("free", "b"), event("run", "b", eventId=UUID_1)),
        commit="RS003",
        rollback=[(1, False), (2, False)],
    ),
    "the_last_signal_of_the_minute": Race(
        [signal("run", "1")],
        named(signal("run", "2")),
        named(signal("run", "3")),
        commit="RS006",
        rollback=[(2, False)],
    ),
    "the_last_signal_of_the_minute_in_a_batch": Race(
        [signal("run", "1")],
        named(signal("run", "2")),
        batch(signal("run", "3")),
        commit="RS006",
        rollback=[(2, False)],
    ),
    "the_first_alert_of_an_event": Race(
        START,
        named(event("run", "start", payload={"n": 1})),
        named(event("run", "start", payload={"n": 2})),
        commit=[(1, True)],
        rollback=[(1, True)],
    ),
    "an_alert_of_a_batch": Race(
        START,
        batch(event("run", "start", payload={"n": 1})),
        named(event("run", "start", payload={"n": 2})),
        commit=[(1, True)],
        rollback=[(1, True)],
    ),
}

races = pytest.mark.parametrize("race", RACES.values(), ids=RACES)


@pytest.fixture(scope="module")
def shared_dsn(server: Server, template: str) -> Iterator[str]:
    """One database for all races: a fresh one for each would take most of the time."""
    with cloned(server, template) as name:
        yield impatient(server.dsn(name))


@pytest.fixture
def dsn(shared_dsn: str) -> str:
    """The shared database, emptied by a superuser who takes the guard away, and two signals per run and minute."""
    with psycopg.connect(shared_dsn) as connection:
        connection.execute("alter table runstore.run_events disable trigger run_events_guard")
        connection.execute("truncate runstore.run_events, runstore.run_counters, runstore.alert_log")
        connection.execute("alter table runstore.run_events enable always trigger run_events_guard")
        connection.execute("select runstore.set_config_value('max_signals_per_minute', '2')")
    return shared_dsn


@pytest.fixture
def observer(connect: Connect) -> Connection:
    """A session that looks on."""
    return connect()


@races
def test_after_a_commit_the_second_is_told_what_now_holds(connect: Connect, observer: Connection, race: Race) -> None:
    acknowledged = _prepare(observer, race)
    first, second = connect(autocommit=False), connect()
    acknowledged += race.first.told(first)[1]
    with waiting(observer, second, lambda: race.second.told(second)) as answer:
        first.commit()
    told, second_acknowledged = answer.result()
    assert told == race.commit
    check_log(observer, acknowledged + second_acknowledged)


@races
@pytest.mark.parametrize("level", STRICT)
def test_after_a_commit_the_second_fails_in_strict_levels_and_a_retry_works(
    connect: Connect, observer: Connection, race: Race, level: str
) -> None:
    acknowledged = _prepare(observer, race)
    first, second = set_level(connect(autocommit=False), level), set_level(connect(), level)
    acknowledged += race.first.told(first)[1]
    with waiting(observer, second, lambda: race.second.told(second)) as answer:
        first.commit()
    assert answer.result() == ("40001", [])
    check_log(observer, acknowledged)
    told, second_acknowledged = race.second.told(second)
    assert told == race.commit
    check_log(observer, acknowledged + second_acknowledged)


@races
@pytest.mark.parametrize("level", LEVELS)
def test_after_a_rollback_it_is_as_if_the_first_had_never_been(
    connect: Connect, observer: Connection, race: Race, level: str
) -> None:
    acknowledged = _prepare(observer, race)
    first, second = set_level(connect(autocommit=False), level), set_level(connect(), level)
    race.first.told(first)
    with waiting(observer, second, lambda: race.second.told(second)) as answer:
        first.rollback()
    told, second_acknowledged = answer.result()
    assert told == race.rollback
    check_log(observer, acknowledged + second_acknowledged)


@races
@pytest.mark.parametrize("level", STRICT)
def test_a_transaction_that_began_before_the_commit_fails_in_strict_levels_and_a_retry_works(
    connect: Connect, observer: Connection, race: Race, level: str
) -> None:
    acknowledged = _prepare(observer, race)
    first, second = set_level(connect(), level), set_level(connect(autocommit=False), level)
    second.execute("select 1")
    acknowledged += race.first.told(first)[1]
    assert race.second.told(second) == ("40001", [])
    second.rollback()
    told, second_acknowledged = race.second.told(second)
    second.commit()
    assert told == race.commit
    check_log(observer, acknowledged + second_acknowledged)


@races
def test_a_transaction_that_began_before_the_commit_goes_on_in_read_committed(
    connect: Connect, observer: Connection, race: Race
) -> None:
    acknowledged = _prepare(observer, race)
    first, second = connect(), connect(autocommit=False)
    second.execute("select 1")
    acknowledged += race.first.told(first)[1]
    told, second_acknowledged = race.second.told(second)
    second.commit()
    assert told == race.commit
    check_log(observer, acknowledged + second_acknowledged)


def _prepare(connection: Connection, race: Race) -> list[Ack]:
    return [(sent, append(connection, sent)) for sent in race.before]
