"""Inline projection: an append projects its run unless another session is at it, and never fails because of that."""

import random
import time
from collections.abc import Callable
from functools import partial

import psycopg
import pytest
from appends import Ack, Event, append, append_batch, append_named, event, impatient, together, waiting
from checker import check_log
from projections import (
    HASTY,
    alerts,
    any_event,
    check_projections,
    due,
    get_snapshot,
    hold_step,
    project_all,
    project_pending,
    project_snapshot,
    refused_event,
    resync_run,
    run_event,
    set_mode,
    unguarded,
    versions,
)
from support import Connect, Connection

Project = Callable[[Connection, str], object]

endings = pytest.mark.parametrize("ending", ["commit", "rollback"])


@pytest.fixture
def dsn(dsn: str) -> str:
    """A fresh database, in which nobody waits for ever."""
    return impatient(dsn)


@pytest.fixture
def observer(connect: Connect) -> Connection:
    """A session that looks on, in a store that projects inline."""
    connection = connect()
    set_mode(connection, "inline")
    return connection


@pytest.fixture
def hasty(connect: Connect) -> Connection:
    """A session that must not wait for anybody."""
    return connect(options=HASTY)


@endings
def test_an_append_and_its_projection_are_committed_together(
    connect: Connect, observer: Connection, hasty: Connection, ending: str
) -> None:
    append(observer, event("run", "a"))
    before, session = get_snapshot(hasty, "run"), connect(autocommit=False)
    append(session, refused_event("run"))
    append_batch(session, [event("new", "a"), event("run", "b")])
    assert get_snapshot(hasty, "run") == before
    assert get_snapshot(hasty, "new") is None
    assert project_pending(hasty) == 0
    assert alerts(hasty) == []
    getattr(session, ending)()
    assert versions(hasty) == ({"run": (3, 2), "new": (1, 0)} if ending == "commit" else {"run": (1, 0)})
    check_projections(observer)


def test_project_snapshot_waits_for_an_append_that_projects_the_run(connect: Connect, observer: Connection) -> None:
    append(observer, event("run", "a"))
    appending, caller = connect(autocommit=False), connect()
    append(appending, event("run", "b"))
    with waiting(observer, caller, lambda: project_snapshot(caller, "run")) as answer:
        appending.commit()
    assert answer.result()["lastEventSeq"] == 2
    assert versions(observer) == {"run": (2, 1)}
    check_projections(observer)


@pytest.mark.parametrize("project", [project_snapshot, resync_run])
def test_an_append_does_not_wait_for_a_session_that_has_the_projection(
    connect: Connect, observer: Connection, hasty: Connection, project: Project
) -> None:
    append(observer, event("run", "a"))
    projecting = connect(autocommit=False)
    project(projecting, "run")
    assert append(hasty, event("run", "b")).run_seq == 2
    assert append_batch(hasty, [event("run", "c"), event("new", "c")])[0].run_seq == 3
    assert due(observer) == ["run"]
    projecting.commit()
    assert project_all(observer) == 1
    check_projections(observer)


@pytest.mark.parametrize("known", [True, False], ids=["known_run", "new_run"])
def test_an_append_leaves_a_run_to_the_projector_that_is_folding_it(
    connect: Connect, observer: Connection, hasty: Connection, known: bool
) -> None:
    holder, projector = connect(autocommit=False), connect()
    if known:
        append(observer, event("run", "before"))
    set_mode(observer, "async")
    append(observer, event("run", "held"))
    hold_step(holder, "run", "held")
    with waiting(observer, projector, lambda: project_pending(projector)):
        set_mode(observer, "inline")
        last = append(hasty, event("run", "a")).run_seq
        assert append_batch(hasty, [event("run", "b"), event("free", "b")])[0].run_seq == last + 1
        assert due(observer) == ["run"]
        holder.rollback()
    project_all(observer)
    check_projections(observer)


@pytest.mark.parametrize("known", [True, False], ids=["known_run", "new_run"])
def test_an_append_leaves_a_run_to_the_projector_that_has_put_it_back_in_line(
    connect: Connect, observer: Connection, hasty: Connection, known: bool
) -> None:
    """The projector keeps the run's note, because the log was about to grow, and has not committed yet."""
    projector, appending = connect(autocommit=False), connect(autocommit=False)
    if known:
        append(observer, event("run", "before"))
    set_mode(observer, "async")
    append(observer, event("run", "a"))
    append(appending, event("run", "b"))
    assert project_pending(projector) == 1
    set_mode(observer, "inline")
    appending.commit()
    assert append(hasty, event("run", "c")).persisted
    projector.commit()
    project_all(observer)
    check_projections(observer)


def test_an_append_does_not_deadlock_with_a_call_for_its_run(connect: Connect, observer: Connection) -> None:
    """The run has a gap, so that the append has to put the run's note back in line after it has the projection."""
    append(observer, run_event("run", "RunStarted"))
    set_mode(observer, "async")
    holder, appending, caller = connect(autocommit=False), connect(), connect()
    append_batch(observer, [event("run", step) for step in ("held", "lost", "a")])
    unguarded(observer, "delete from runstore.run_events where step_id = 'lost'")
    set_mode(observer, "inline")
    hold_step(holder, "run", "held")
    with (
        waiting(observer, appending, lambda: append(appending, event("run", "b"))) as answer,
        waiting(observer, caller, lambda: project_snapshot(caller, "run")) as snapshot,
    ):
        holder.rollback()
    assert answer.result().run_seq == 5
    assert (snapshot.result()["lastEventSeq"], snapshot.result()["stale"]) == (2, True)
    assert due(observer) == ["run"]


def test_transactions_that_append_and_project_in_any_order_lose_nothing(connect: Connect, observer: Connection) -> None:
    """Locks are not taken in one order here, so one of two transactions may have to begin again; none hangs."""
    runs = ["run-1", "run-2", "run-3"]
    clients = [connect(autocommit=False, options="-c lock_timeout=30s -c deadlock_timeout=20ms") for _ in range(6)]
    append_batch(observer, [event(run, "start") for run in runs])
    deadline = time.monotonic() + 60

    def transaction(session: Connection, chance: random.Random, sent: list[Event]) -> list[Ack]:
        calls: list[Callable[[], list[Ack]]] = [
            lambda: list(zip(sent[1:], append_batch(session, sent[1:]), strict=True)),
            lambda: [(sent[0], append_named(session, sent[0]))],
        ]
        for project in chance.sample([project_snapshot, resync_run, project_snapshot], chance.randint(1, 2)):
            calls.insert(chance.randrange(3), partial(_projected, project, session, chance.choice(runs)))
        while True:
            assert time.monotonic() < deadline, "they keep each other from coming to an end"
            try:
                acknowledged = [ack for call in calls for ack in call()]
                session.commit()
                return acknowledged
            except psycopg.errors.DeadlockDetected:
                session.rollback()

    def work(client: int) -> list[Ack]:
        chance = random.Random(client)  # noqa: S311
        acknowledged: list[Ack] = []
        for n in range(8):
            sent = [any_event(run, f"{client}-{n}-{i}") for i, run in enumerate([chance.choice(runs), *runs[:2]])]
            acknowledged += transaction(clients[client], chance, sent)
        return acknowledged

    acknowledged = together(len(clients), work)
    project_all(observer)
    check_projections(observer)
    check_log(observer, acknowledged, everything=False)
    assert len(acknowledged) == len(clients) * 8 * 3


@pytest.mark.parametrize(("before", "after"), [("async", "inline"), ("inline", "async")])
@endings
def test_an_append_that_waited_while_the_mode_was_switched_is_not_left_behind(
    connect: Connect, observer: Connection, before: str, after: str, ending: str
) -> None:
    set_mode(observer, before)
    append(observer, event("run", "a"))
    project_all(observer)
    holder, writer = connect(autocommit=False), connect()
    append(holder, event("run", "b"))
    with waiting(observer, writer, lambda: append(writer, event("run", "c"))):
        set_mode(observer, after)
        getattr(holder, ending)()
    project_all(observer)
    check_projections(observer)


@pytest.mark.parametrize(("before", "after"), [("async", "inline"), ("inline", "async")])
@endings
def test_a_batch_that_waited_while_the_mode_was_switched_is_not_left_behind(
    connect: Connect, observer: Connection, before: str, after: str, ending: str
) -> None:
    set_mode(observer, before)
    append(observer, event("run", "a"))
    project_all(observer)
    holder, writer = connect(autocommit=False), connect()
    append(holder, event("run", "b"))
    with waiting(observer, writer, lambda: append_batch(writer, [event("new", "c"), event("run", "c")])):
        set_mode(observer, after)
        getattr(holder, ending)()
    project_all(observer)
    check_projections(observer)


@pytest.mark.parametrize(("before", "after"), [("async", "inline"), ("inline", "async")])
def test_an_open_transaction_across_a_switch_of_the_mode_leaves_nothing_behind(
    connect: Connect, observer: Connection, before: str, after: str
) -> None:
    set_mode(observer, before)
    session = connect(autocommit=False)
    append(session, event("run", "a"))
    set_mode(observer, after)
    append(session, event("run", "b"))
    append(session, event("new", "b"))
    session.commit()
    project_all(observer)
    check_projections(observer)


def test_a_switch_of_the_mode_waits_for_no_append_and_no_append_for_it(
    connect: Connect, observer: Connection, hasty: Connection
) -> None:
    appending, administrator = connect(autocommit=False), connect(autocommit=False, options=HASTY)
    append(appending, event("run", "a"))
    set_mode(administrator, "async")
    assert append(hasty, event("other", "a")).run_seq == 1
    administrator.commit()
    appending.commit()
    project_all(observer)
    check_projections(observer)


def _projected(project: Project, session: Connection, run: str) -> list[Ack]:
    project(session, run)
    return []
