"""Who waits for whom, who does not, and what a session that waited is told."""

from collections.abc import Callable, Sequence
from datetime import datetime, timezone

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
    set_clock,
    set_level,
    waiting,
)
from checker import check_log
from support import Connect, Connection

START = event("run", "start")
EARLY, LATE = datetime(2026, 1, 1, 0, tzinfo=timezone.utc), datetime(2026, 1, 1, 1, tzinfo=timezone.utc)

Send = Callable[[Connection, Sequence[Event]], list[Answer]]


def _one(connection: Connection, sent: Sequence[Event]) -> list[Answer]:
    return [append(connection, sent[0])]


def _named(connection: Connection, sent: Sequence[Event]) -> list[Answer]:
    return [append_named(connection, sent[0])]


@pytest.fixture
def dsn(dsn: str) -> str:
    """A fresh database, in which nobody waits for ever."""
    return impatient(dsn)


@pytest.fixture
def observer(connect: Connect) -> Connection:
    """A session that looks on."""
    return connect()


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("send", [_named, append_batch])
@pytest.mark.parametrize("before", [[START], []], ids=["old_run", "new_run"])
def test_a_session_that_waited_for_a_rollback_is_stamped_with_the_time_after_its_wait(
    connect: Connect, observer: Connection, before: list[Event], send: Send, level: str
) -> None:
    set_clock(observer, EARLY)
    acknowledged: list[Ack] = [(sent, append(observer, sent)) for sent in before]
    first, second = connect(autocommit=False), set_level(connect(), level)
    append(first, event("run", "a"))
    sent = [event("run", "b")]
    with waiting(observer, second, lambda: send(second, sent)) as answers:
        set_clock(observer, LATE)
        first.rollback()
    assert [answer.persisted_at for answer in answers.result()] == [LATE]
    check_log(observer, [*acknowledged, *zip(sent, answers.result(), strict=True)])


@pytest.mark.parametrize("send", [_named, append_batch])
@pytest.mark.parametrize("before", [[START], []], ids=["old_run", "new_run"])
def test_a_session_that_waited_for_a_commit_is_stamped_with_the_time_after_its_wait(
    connect: Connect, observer: Connection, before: list[Event], send: Send
) -> None:
    set_clock(observer, EARLY)
    acknowledged: list[Ack] = [(sent, append(observer, sent)) for sent in before]
    first, second = connect(autocommit=False), connect()
    held, sent = event("run", "a"), [event("run", "b")]
    acknowledged.append((held, append(first, held)))
    with waiting(observer, second, lambda: send(second, sent)) as answers:
        set_clock(observer, LATE)
        first.commit()
    assert [answer.persisted_at for answer in answers.result()] == [LATE]
    check_log(observer, [*acknowledged, *zip(sent, answers.result(), strict=True)])


@pytest.mark.parametrize("send", [_named, _one, append_batch])
def test_a_repeat_that_waited_leaves_the_counter_as_it_was(connect: Connect, observer: Connection, send: Send) -> None:
    set_clock(observer, EARLY)
    append(observer, START)
    first, second = connect(autocommit=False), connect()
    append(first, event("run", "a"))
    with waiting(observer, second, lambda: send(second, [event("run", "a")])) as answer:
        set_clock(observer, LATE)
        first.commit()
        before = first.execute("select r.* from runstore.run_counters as r").fetchall()
        first.commit()
    assert [(a.run_seq, a.persisted_at, a.idempotent) for a in answer.result()] == [(2, EARLY, True)]
    assert observer.execute("select r.* from runstore.run_counters as r").fetchall() == before


def test_time_that_goes_back_does_not_take_the_log_back(observer: Connection) -> None:
    set_clock(observer, LATE)
    first = append(observer, event("run", "a"))
    set_clock(observer, EARLY)
    single, batched = append(observer, event("run", "b")), append_batch(observer, [event("run", "c")])
    assert {first.persisted_at, single.persisted_at, batched[0].persisted_at} == {first.persisted_at}


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("send", [append, append_named])
def test_a_repeat_of_a_committed_event_does_not_wait_for_the_run(
    connect: Connect, observer: Connection, level: str, send: Callable[[Connection, Event], Answer]
) -> None:
    stored = append(observer, START)
    holder, repeater = connect(autocommit=False), set_level(connect(), level)
    append(holder, event("run", "a"))
    answer = send(repeater, START)
    assert (answer.event_id, answer.run_seq, answer.persisted_at) == (stored.event_id, 1, stored.persisted_at)
    assert (answer.idempotent, answer.persisted) == (True, False)


@pytest.mark.parametrize("level", LEVELS)
def test_readers_wait_for_nobody_and_see_what_is_committed(connect: Connect, observer: Connection, level: str) -> None:
    append_batch(observer, [START, event("other", "start")])
    appending, alerting = connect(autocommit=False), connect(autocommit=False)
    append_batch(appending, [event("run", "a"), event("new", "a")])
    append(alerting, event("other", "start", payload={"differs": True}))
    reader = set_level(connect(), level)
    for query, seen in (
        ("select run_id, run_seq from runstore.fetch_events('run')", [("run", 1)]),
        ("select run_id, run_seq from runstore.fetch_events('other')", [("other", 1)]),
        ("select run_id, run_seq from runstore.fetch_events('new')", []),
        ("select run_id, run_seq from runstore.run_event_records order by 1", [("other", 1), ("run", 1)]),
        ("select run_id, run_seq from runstore.alerts", []),
    ):
        assert reader.execute(query.encode()).fetchall() == seen


def test_an_open_reader_holds_up_no_writer(connect: Connect, observer: Connection) -> None:
    append(observer, START)
    reader, writer = connect(autocommit=False), connect()
    reader.execute("select run_seq from runstore.fetch_events('run')")
    assert append(writer, event("run", "a")).run_seq == 2


def test_appends_to_different_runs_do_not_wait_for_each_other(connect: Connect, observer: Connection) -> None:
    append(observer, event("run-1", "start"))
    holder, writer = connect(autocommit=False), connect()
    append(holder, event("run-1", "a"))
    append(holder, event("run-2", "a"))
    assert append(writer, event("run-3", "a")).run_seq == 1
    assert [answer.run_seq for answer in append_batch(writer, [event("run-3", "b"), event("run-4", "b")])] == [2, 1]


@pytest.mark.parametrize(
    "change",
    [
        "select runstore.set_config_value('max_payload_bytes', '1000')",
        "select runstore.bind_login(session_user, 'tenant')",
        "select runstore.bind_login(session_user, 'foreign')",
        "select runstore.unbind_login(session_user, 'foreign')",
    ],
    ids=["set_config_value", "first_binding", "foreign_binding", "unbind_login"],
)
def test_appends_do_not_wait_for_settings_and_bindings(connect: Connect, observer: Connection, change: str) -> None:
    append(observer, START)
    if "unbind" in change:
        observer.execute("select runstore.bind_login(session_user, 'tenant')")
        observer.execute("select runstore.bind_login(session_user, 'foreign')")
    administrator, writer = connect(autocommit=False), connect()
    administrator.execute(change.encode())
    assert append(writer, event("run", "a")).run_seq == 2
    assert append(writer, event("run", "a")).idempotent
    assert [answer.run_seq for answer in append_batch(writer, [event("run", "b"), event("new", "b")])] == [3, 1]
    assert writer.execute("select count(*) from runstore.fetch_events('run')").fetchone() == (3,)
    administrator.commit()


def test_settings_and_bindings_do_not_wait_for_appends(connect: Connect, observer: Connection) -> None:
    writer, administrator = connect(autocommit=False), connect()
    append(writer, event("run", "a"))
    append_batch(writer, [event("run", "b"), event("new", "b")])
    administrator.execute("select runstore.set_config_value('max_payload_bytes', '1000')")
    administrator.execute("select runstore.bind_login(session_user, 'tenant')")
    administrator.execute("select runstore.unbind_login(session_user, 'tenant')")


@pytest.mark.parametrize(("ending", "count"), [("commit", 2), ("rollback", 1)])
def test_a_raced_alert_is_one_alert_and_counts_what_was_committed(
    connect: Connect, observer: Connection, ending: str, count: int
) -> None:
    append(observer, START)
    first, second = connect(autocommit=False), connect()
    append(first, event("run", "start", payload={"n": 1}))
    with waiting(observer, second, lambda: append(second, event("run", "start", payload={"n": 2}))):
        getattr(first, ending)()
    alerts = observer.execute("select code, run_seq, count, details ->> 'differs' from runstore.alerts").fetchall()
    assert alerts == [("IDEMPOTENCY_CONFLICT", 1, count, '["payload"]')]
