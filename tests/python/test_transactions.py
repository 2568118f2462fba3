"""Appends inside the caller's own transactions: they live and die with them, and leave no gap."""

from collections.abc import Callable, Sequence

import psycopg
import pytest
from appends import Ack, Answer, Event, append, append_batch, append_named, event, impatient
from checker import check_log
from support import Connect, Connection

Send = Callable[[Connection, Sequence[Event]], list[Answer]]
UUID_1 = "11111111-1111-4111-8111-111111111111"


def _one(connection: Connection, sent: Sequence[Event]) -> list[Answer]:
    return [append(connection, item) for item in sent]


def _named(connection: Connection, sent: Sequence[Event]) -> list[Answer]:
    return [append_named(connection, item) for item in sent]


forms = pytest.mark.parametrize("send", [_one, _named, append_batch])


@pytest.fixture
def dsn(dsn: str) -> str:
    """A fresh database, in which nobody waits for ever."""
    return impatient(dsn)


@forms
@pytest.mark.parametrize("before", [True, False], ids=["old_run", "new_run"])
def test_a_whole_rollback_leaves_no_gap(connect: Connect, send: Send, before: bool) -> None:
    session, observer = connect(autocommit=False), connect()
    start = event("run", "start")
    acknowledged: list[Ack] = [(start, append(observer, start))] if before else []
    send(session, [event("run", "a"), event("other", "a"), event("run", "b")])
    session.rollback()
    check_log(observer, acknowledged)
    again = [event("run", "b"), event("run", "c")]
    acknowledged += zip(again, send(session, again), strict=True)
    session.commit()
    assert [answer.run_seq for _, answer in acknowledged[-2:]] == ([2, 3] if before else [1, 2])
    check_log(observer, acknowledged)


@forms
def test_a_rollback_to_a_savepoint_leaves_no_gap(connect: Connect, send: Send) -> None:
    session = connect(autocommit=False)
    events = {name: [event("run", name), event("other", name)] for name in "abc"}
    acknowledged: list[Ack] = list(zip(events["a"], send(session, events["a"]), strict=True))
    session.execute("savepoint s")
    send(session, [*events["b"], event("new", "b")])
    session.execute("rollback to savepoint s")
    acknowledged += zip(events["c"], send(session, events["c"]), strict=True)
    session.commit()
    assert [answer.run_seq for _, answer in acknowledged] == [1, 1, 2, 2]
    check_log(session, acknowledged)


@forms
def test_an_event_that_was_rolled_back_to_a_savepoint_is_new_again(connect: Connect, send: Send) -> None:
    session = connect(autocommit=False)
    session.execute("savepoint s")
    send(session, [event("run", "a")])
    session.execute("rollback to savepoint s")
    (answer,) = send(session, [event("run", "a", tenantId="other")])
    session.commit()
    assert (answer.run_seq, answer.persisted) == (1, True)
    check_log(session, [(event("run", "a"), answer)])


@forms
@pytest.mark.parametrize(
    ("refused", "sqlstate"),
    [
        (event("run", ""), "RS001"),
        (event("run", "b", payload={"big": "x" * 300_000}), "RS005"),
        (event("run", "b", tenantId="other"), "RS002"),
        (event("run", "b", eventId=UUID_1), "RS003"),
    ],
    ids=["RS001", "RS005", "RS002", "RS003"],
)
def test_an_error_in_a_savepoint_leaves_the_transaction_usable(
    connect: Connect, send: Send, refused: Event, sqlstate: str
) -> None:
    session = connect(autocommit=False)
    before, after = [event("run", "a", eventId=UUID_1)], [event("run", "c"), event("new", "c")]
    acknowledged: list[Ack] = list(zip(before, send(session, before), strict=True))
    with pytest.raises(psycopg.Error) as refusal, session.transaction():
        send(session, [event("run", "lost"), event("new", "lost"), refused])
    assert refusal.value.sqlstate == sqlstate
    acknowledged += zip(after, send(session, after), strict=True)
    session.commit()
    assert [answer.run_seq for _, answer in acknowledged] == [1, 2, 1]
    check_log(session, acknowledged)


@forms
def test_a_refused_call_alone_leaves_nothing(connect: Connect, send: Send) -> None:
    session = connect()
    with pytest.raises(psycopg.Error):
        send(session, [event("run", "a", stepId="RUN")])
    check_log(session, [])


def test_a_refused_batch_leaves_none_of_its_elements(connect: Connect) -> None:
    session = connect()
    start = event("run", "start")
    acknowledged: list[Ack] = [(start, append(session, start))]
    for refused in (event("run", "RUN"), event("run", "b", tenantId="other")):
        with pytest.raises(psycopg.Error):
            append_batch(session, [event("run", "a"), event("new", "a"), event("run", "start", payload={}), refused])
        check_log(session, acknowledged)
        assert session.execute("select from runstore.alerts").fetchall() == []


def test_an_alert_dies_with_the_transaction_that_raised_it(connect: Connect) -> None:
    session = connect(autocommit=False)
    append(session, event("run", "a"))
    session.commit()
    append(session, event("run", "a", payload={"differs": True}))
    append_batch(session, [event("run", "a", payload={"differs": True})])
    assert session.execute("select count from runstore.alerts").fetchall() == [(2,)]
    session.rollback()
    assert session.execute("select count from runstore.alerts").fetchall() == []


def test_a_handler_in_a_block_of_the_callers_own_leaves_no_gap(connect: Connect) -> None:
    """A PL/pgSQL caller that catches its own error undoes the appends it made in that block."""
    session = connect()
    session.execute(
        """
        do $$
        begin
            begin
                perform runstore.append_event('run', 'RunStarted', now(), 't', 'p', 'e', 'plan', '1');
                perform 1 / 0;
            exception when division_by_zero then
                null;
            end;
        end
        $$
        """
    )
    check_log(session, [])
    sent = event("run", "a")
    check_log(session, [(sent, append(session, sent))])
