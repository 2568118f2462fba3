"""Projectors, appends and readers that meet: who waits for whom, who does not, and what each finds afterwards."""

from collections.abc import Callable

import pytest
from appends import Ack, append, append_batch, event, impatient, waiting
from checker import check_log
from projections import (
    HASTY,
    alerts,
    check_projections,
    due,
    get_snapshot,
    hold_step,
    project_all,
    project_pending,
    project_snapshot,
    refused_event,
    replay_snapshot,
    resync_run,
    run_event,
    unguarded,
    versions,
)
from support import Connect, Connection

RUNS = ["run-1", "run-2", "run-3", "run-4"]

Project = Callable[[Connection, str], object]


one_run = pytest.mark.parametrize("project", [project_snapshot, resync_run])
endings = pytest.mark.parametrize("ending", ["commit", "rollback"])


@pytest.fixture
def dsn(dsn: str) -> str:
    """A fresh database, in which nobody waits for ever."""
    return impatient(dsn)


@pytest.fixture
def observer(connect: Connect) -> Connection:
    """A session that looks on."""
    return connect()


@pytest.fixture
def hasty(connect: Connect) -> Connection:
    """A session that must not wait for anybody."""
    return connect(options=HASTY)


@endings
def test_a_projector_passes_over_the_runs_of_another_and_takes_the_rest(
    connect: Connect, observer: Connection, hasty: Connection, ending: str
) -> None:
    for run in RUNS:
        append_batch(observer, [run_event(run, "RunStarted"), refused_event(run)])
    first = connect(autocommit=False)
    assert project_pending(first, 2) == 2
    assert project_pending(hasty) == 2
    assert versions(hasty) == dict.fromkeys(RUNS[2:], (2, 0))
    assert project_pending(hasty) == 0
    getattr(first, ending)()
    assert project_pending(hasty) == (0 if ending == "commit" else 2)
    assert versions(hasty) == dict.fromkeys(RUNS, (2, 0))
    assert alerts(hasty) == [("INVALID_TRANSITION", run, 2, 1, True) for run in RUNS]
    check_projections(observer)


@endings
def test_a_second_projection_goes_on_where_the_first_one_ended(
    connect: Connect, observer: Connection, hasty: Connection, ending: str
) -> None:
    for run in RUNS:
        append(observer, run_event(run, "RunStarted"))
    project_all(observer)
    for run in RUNS:
        append_batch(observer, [refused_event(run), event(run, "a")])
    first = connect(autocommit=False)
    assert project_pending(first, 3) == 3
    assert project_pending(hasty) == 1
    getattr(first, ending)()
    assert project_pending(hasty) == (0 if ending == "commit" else 3)
    assert versions(hasty) == dict.fromkeys(RUNS, (3, 1))
    check_projections(observer)


def test_a_projector_takes_the_rest_while_another_is_in_the_middle_of_its_runs(
    connect: Connect, observer: Connection, hasty: Connection
) -> None:
    holder, first = connect(autocommit=False), connect()
    append(observer, event("run-1", "held"))
    append(observer, event("run-2", "a"))
    hold_step(holder, "run-1", "held")
    with waiting(observer, first, lambda: project_pending(first, 1)) as done:
        assert project_pending(hasty) == 1
        assert versions(hasty) == {"run-2": (1, 0)}
        holder.rollback()
    assert done.result() == 1
    assert project_pending(hasty) == 0
    assert versions(hasty) == {"run-1": (1, 0), "run-2": (1, 0)}
    check_projections(observer)


def test_no_append_waits_for_a_projector_that_is_folding(
    connect: Connect, observer: Connection, hasty: Connection
) -> None:
    holder, projector = connect(autocommit=False), connect()
    append(observer, event("known", "a"))
    project_all(observer)
    append(observer, event("known", "b"))
    append(observer, event("new", "held"))
    hold_step(holder, "new", "held")
    with waiting(observer, projector, lambda: project_pending(projector)):
        assert [append(hasty, event(run, "c")).run_seq for run in ("known", "new", "free")] == [3, 2, 1]
        batch = [event(run, "d") for run in ("new", "free", "known")]
        assert [answer.run_seq for answer in append_batch(hasty, batch)] == [3, 2, 4]
        holder.rollback()
    assert due(observer) == ["free", "known", "new"]
    assert project_all(observer) == 3
    check_projections(observer)


def test_only_appends_to_runs_whose_note_is_removed_wait_for_the_projector_to_commit(
    connect: Connect, observer: Connection, hasty: Connection
) -> None:
    """One of the projector's runs was about to grow: its note stays, so its appends do not wait."""
    growing, done, untouched = "run-1", "run-2", "run-3"
    for run in (growing, done, untouched):
        append(observer, event(run, "a"))
    appending, projector, writer = connect(autocommit=False), connect(autocommit=False), connect()
    append(appending, event(growing, "b"))
    assert project_pending(projector, 2) == 2
    appending.commit()

    assert [append(hasty, event(run, "c")).run_seq for run in (growing, untouched, "new")] == [3, 2, 1]
    assert append(hasty, event(done, "a")).idempotent
    with waiting(observer, writer, lambda: append(writer, event(done, "c"))) as answer:
        projector.commit()
    assert answer.result().run_seq == 2
    assert due(observer) == ["new", growing, done, untouched]
    assert project_all(observer) == 4
    check_projections(observer)


@endings
def test_a_batch_that_waited_for_a_projector_is_found_afterwards(
    connect: Connect, observer: Connection, ending: str
) -> None:
    projector, writer = connect(autocommit=False), connect()
    first, batch = [event("run-1", "a"), event("run-2", "a")], [event("run-3", "b"), event("run-1", "b")]
    acknowledged: list[Ack] = list(zip(first, append_batch(observer, first), strict=True))
    assert project_pending(projector) == 2
    with waiting(observer, writer, lambda: append_batch(writer, batch)) as answers:
        getattr(projector, ending)()
    acknowledged += zip(batch, answers.result(), strict=True)
    assert due(observer) == (["run-1", "run-3"] if ending == "commit" else ["run-1", "run-2", "run-3"])
    project_all(observer)
    check_projections(observer)
    check_log(observer, acknowledged)


@endings
def test_an_append_in_an_open_transaction_does_not_hold_up_the_projector(
    connect: Connect, observer: Connection, hasty: Connection, ending: str
) -> None:
    append(observer, event("run-1", "a"))
    project_all(observer)
    for run in RUNS[:3]:
        append(observer, event(run, "b"))
    appending = connect(autocommit=False)
    append_batch(appending, [event("run-1", "c"), event("run-2", "c"), event("new", "c")])
    assert project_pending(hasty) == 3
    assert due(observer) == ["run-1", "run-2"], "their logs may be about to grow"
    assert project_pending(hasty) == 0
    assert versions(hasty) == {"run-1": (2, 1), "run-2": (1, 0), "run-3": (1, 0)}
    getattr(appending, ending)()
    project_all(observer)
    assert versions(observer)["run-1"] == ((3, 2) if ending == "commit" else (2, 1))
    check_projections(observer)


@endings
def test_project_snapshot_waits_for_the_projector_that_has_the_run_and_returns_the_newest(
    connect: Connect, observer: Connection, ending: str
) -> None:
    append_batch(observer, [run_event("run", "RunStarted"), refused_event("run")])
    projector, caller = connect(autocommit=False), connect()
    assert project_pending(projector) == 1
    with waiting(observer, caller, lambda: project_snapshot(caller, "run")) as answer:
        append(projector, event("run", "later"))
        getattr(projector, ending)()
    assert answer.result()["lastEventSeq"] == (3 if ending == "commit" else 2)
    assert answer.result() == get_snapshot(observer, "run")
    project_all(observer)
    check_projections(observer)


@one_run
def test_projecting_one_run_waits_while_a_projector_is_in_the_middle_of_it(
    connect: Connect, observer: Connection, project: Project
) -> None:
    holder, projector, caller = connect(autocommit=False), connect(), connect()
    append(observer, event("run", "held"))
    hold_step(holder, "run", "held")
    with (
        waiting(observer, projector, lambda: project_pending(projector)),
        waiting(observer, caller, lambda: project(caller, "run")) as answer,
    ):
        append(observer, event("run", "a"))
        holder.rollback()
    assert answer.result() == get_snapshot(observer, "run")
    project_all(observer)
    check_projections(observer)


@one_run
@endings
def test_two_calls_for_one_run_work_one_after_the_other(
    connect: Connect, observer: Connection, project: Project, ending: str
) -> None:
    append_batch(observer, [run_event("run", "RunStarted"), refused_event("run")])
    first, second = connect(autocommit=False), connect()
    one = project(first, "run")
    with waiting(observer, second, lambda: project(second, "run")) as other:
        getattr(first, ending)()
    if ending == "commit" and project is not resync_run:
        assert other.result() == one, "there was nothing left to do"
    assert other.result() == get_snapshot(observer, "run")
    project_all(observer)
    check_projections(observer)


@one_run
@pytest.mark.parametrize("news", [["b"], []], ids=["due", "up_to_date"])
def test_projecting_one_run_does_not_wait_for_an_append_in_an_open_transaction(
    connect: Connect, observer: Connection, hasty: Connection, project: Project, news: list[str]
) -> None:
    append(observer, event("run", "a"))
    project_all(observer)
    for step in news:
        append(observer, event("run", step))
    appending = connect(autocommit=False)
    append(appending, event("run", "open"))
    assert project(hasty, "run") == get_snapshot(hasty, "run")
    assert versions(observer)["run"][0] == 1 + len(news)
    appending.commit()
    assert project_all(observer) == 1
    check_projections(observer)


@one_run
def test_projecting_one_run_holds_up_no_reader(
    connect: Connect, observer: Connection, hasty: Connection, project: Project
) -> None:
    append(observer, event("run", "a"))
    project_all(observer)
    append(observer, event("run", "b"))
    before = get_snapshot(observer, "run")
    projecting = connect(autocommit=False)
    project(projecting, "run")
    assert get_snapshot(hasty, "run") == before
    assert replay_snapshot(hasty, "run")["lastEventSeq"] == 2
    assert [row[0] for row in hasty.execute("select run_id from runstore.list_runs()")] == ["run"]
    assert [row[0] for row in hasty.execute("select run_seq from runstore.fetch_events('run')")] == [1, 2]
    assert versions(hasty) == {"run": (1, 0)}


@one_run
def test_a_call_that_found_nothing_to_project_holds_up_no_append(
    connect: Connect, observer: Connection, hasty: Connection, project: Project
) -> None:
    append(observer, event("run", "a"))
    project_all(observer)
    projecting = connect(autocommit=False)
    project(projecting, "run")
    assert append(hasty, event("run", "b")).run_seq == 2
    assert append_batch(hasty, [event("run", "c"), event("new", "c")])[0].run_seq == 3
    projecting.commit()
    assert due(observer) == ["new", "run"]
    project_all(observer)
    check_projections(observer)


@one_run
@endings
def test_a_call_that_removed_the_note_holds_up_appends_to_its_run_until_it_ends(
    connect: Connect, observer: Connection, hasty: Connection, project: Project, ending: str
) -> None:
    append(observer, event("run", "a"))
    projecting, writer = connect(autocommit=False), connect()
    project(projecting, "run")
    assert append(hasty, event("other", "a")).run_seq == 1
    assert append(hasty, event("run", "a")).idempotent
    with waiting(observer, writer, lambda: append(writer, event("run", "b"))) as answer:
        getattr(projecting, ending)()
    assert answer.result().run_seq == 2
    assert due(observer) == ["other", "run"]
    project_all(observer)
    check_projections(observer)


@one_run
def test_no_append_waits_for_a_call_that_is_folding_its_run(
    connect: Connect, observer: Connection, hasty: Connection, project: Project
) -> None:
    holder, caller = connect(autocommit=False), connect()
    append(observer, event("run", "held"))
    hold_step(holder, "run", "held")
    with waiting(observer, caller, lambda: project(caller, "run")):
        assert append(hasty, event("run", "b")).run_seq == 2
        holder.rollback()
    assert due(observer) == ["run"]
    project_all(observer)
    check_projections(observer)


def test_an_append_does_not_wait_for_a_snapshot_that_was_asked_for_while_its_transaction_was_open(
    connect: Connect, observer: Connection
) -> None:
    """The repeat takes the run's lock without noting anything; the note comes with the new event."""
    append(observer, event("run", "a"))
    project_all(observer)
    appending = connect(autocommit=False, options=HASTY)
    asking = connect(autocommit=False, options=HASTY)
    append(appending, event("run", "a", payload={"differs": True}))
    project_snapshot(asking, "run")
    assert append(appending, event("run", "b")).run_seq == 2
    appending.commit()
    asking.commit()
    assert project_all(observer) == 1
    assert versions(observer) == {"run": (2, 1)}


def test_two_calls_for_one_run_do_not_deadlock_when_an_event_comes_between(
    connect: Connect, observer: Connection
) -> None:
    """The first one finds no note, the second one does, and then the first one has to look after it."""
    append(observer, event("run", "held"))
    project_all(observer)
    holder, first, second = connect(autocommit=False), connect(), connect()
    hold_step(holder, "run", "held")
    with waiting(observer, first, lambda: resync_run(first, "run")) as one:
        append(observer, event("run", "b"))
        with waiting(observer, second, lambda: project_snapshot(second, "run")) as other:
            holder.rollback()
    assert one.result()["lastEventSeq"] in (1, 2)
    assert other.result()["lastEventSeq"] == 2
    project_all(observer)
    check_projections(observer)


def test_an_operator_who_is_closing_an_alert_holds_up_nobody(
    connect: Connect, observer: Connection, hasty: Connection
) -> None:
    append_batch(observer, [event("run", "a"), event("run", "lost"), event("run", "b")])
    unguarded(observer, "create table public.lost as select * from runstore.run_events where step_id = 'lost'")
    unguarded(observer, "delete from runstore.run_events where step_id = 'lost'")
    project_all(observer)
    operator = connect(autocommit=False)
    operator.execute("select runstore.ack_alert(alert_id) from runstore.alerts")
    unguarded(observer, "insert into runstore.run_events select * from public.lost")
    snapshot = project_snapshot(hasty, "run")
    assert (snapshot["lastEventSeq"], snapshot["stale"]) == (3, False)
    assert append(hasty, event("run", "c")).run_seq == 4
    assert project_pending(hasty) == 1
