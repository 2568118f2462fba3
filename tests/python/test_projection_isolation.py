"""Projecting in the stricter isolation levels: it is right, or it fails with 40001 and works when tried again."""

import random
from collections.abc import Callable
from functools import partial

import psycopg
import pytest
from appends import (
    LEVELS,
    Ack,
    Event,
    append,
    append_batch,
    append_named,
    event,
    impatient,
    set_level,
    together,
    waiting,
)
from checker import check_log
from projections import (
    any_event,
    check_projections,
    get_snapshot,
    meanwhile,
    project_all,
    project_pending,
    project_snapshot,
    refused_event,
    resync_run,
    run_event,
    set_mode,
)
from support import Connect, Connection

RETRYABLE = (psycopg.errors.SerializationFailure, psycopg.errors.DeadlockDetected)

Call = Callable[[Connection, str], object]


def _append(connection: Connection, run: str) -> object:
    return append(connection, event(run, f"step-of-{connection.info.backend_pid}"))


def _project_pending(connection: Connection, run: str) -> object:
    return project_pending(connection)


CALLS: list[Call] = [_append, _project_pending, project_snapshot, resync_run]

strict = pytest.mark.parametrize("level", LEVELS[1:])
modes = pytest.mark.parametrize("mode", ["async", "inline"])


@pytest.fixture
def dsn(dsn: str) -> str:
    """A fresh database, in which nobody waits for ever."""
    return impatient(dsn)


@strict
@modes
@pytest.mark.parametrize("call", CALLS)
def test_a_call_with_an_old_view_of_the_store_is_right_or_fails_and_a_retry_works(
    connect: Connect, level: str, mode: str, call: Call
) -> None:
    """Between the view and the call, another session does each of the things that a call could clash with."""
    observer, other, session = connect(), connect(), set_level(connect(autocommit=False), level)
    for n, other_call in enumerate([*CALLS, get_snapshot]):
        run = f"run-{n}"
        set_mode(observer, "async")
        append_batch(observer, [run_event(run, "RunStarted"), event(run, "a")])
        project_all(observer)
        append(observer, refused_event(run))
        set_mode(observer, mode)
        get_snapshot(session, run)
        other_call(other, run)
        try:
            call(session, run)
            session.commit()
        except psycopg.errors.SerializationFailure:
            session.rollback()
            call(session, run)
            session.commit()
        project_all(observer)
        check_projections(observer)


@strict
@pytest.mark.parametrize("ending", ["commit", "rollback"])
@pytest.mark.parametrize("call", [project_snapshot, resync_run])
def test_a_call_that_waited_is_right_or_fails_and_a_retry_works(
    connect: Connect, level: str, call: Call, ending: str
) -> None:
    observer = connect()
    append_batch(observer, [run_event("run", "RunStarted"), refused_event("run")])
    first, second = set_level(connect(autocommit=False), level), set_level(connect(), level)
    call(first, "run")
    with waiting(observer, second, lambda: _sqlstate(second, call)) as told:
        getattr(first, ending)()
    assert told.result() == ("40001" if ending == "commit" else None)
    assert _sqlstate(second, call) is None
    project_all(observer)
    check_projections(observer)


@pytest.mark.parametrize("level", LEVELS)
@modes
def test_under_load_only_strict_levels_fail_and_all_is_projected(connect: Connect, level: str, mode: str) -> None:
    observer = connect()
    set_mode(observer, mode)
    runs, failures = [f"run-{n}" for n in range(4)], list[str | None]()
    writers = [set_level(connect(), level) for _ in range(3)]
    projectors, (asking, resyncing) = ([set_level(connect(), level) for _ in range(2)] for _ in range(2))
    chance = random.Random(level)  # noqa: S311
    start = [event(run, "start") for run in runs]
    started: list[Ack] = list(zip(start, append_batch(observer, start), strict=True))

    def tried(call: Callable[[], object]) -> None:
        try:
            call()
        except RETRYABLE as failure:
            failures.append(failure.sqlstate)

    def write(client: int) -> list[Ack]:
        acknowledged: list[Ack] = []
        own = random.Random(client)  # noqa: S311
        for n in range(25):
            sent = [any_event(own.choice(runs), f"{client}-{n}-{i}") for i in range(own.choice((1, 1, 4)))]
            while not (stored := _stored(writers[client], sent, failures)):
                pass
            acknowledged += stored
        return acknowledged

    with meanwhile(
        *(partial(tried, partial(project_pending, projector)) for projector in projectors),
        lambda: tried(lambda: project_snapshot(asking, chance.choice(runs))),
        lambda: tried(lambda: resync_run(resyncing, chance.choice(runs))),
    ):
        acknowledged = together(len(writers), write)
    project_all(observer)
    check_projections(observer)
    check_log(observer, started + acknowledged)
    if level == "read committed":
        assert failures == []


def _stored(session: Connection, sent: list[Event], failures: list[str | None]) -> list[Ack]:
    try:
        answers = append_batch(session, sent) if len(sent) > 1 else [append_named(session, sent[0])]
    except RETRYABLE as failure:
        failures.append(failure.sqlstate)
        return []
    return list(zip(sent, answers, strict=True))


def _sqlstate(connection: Connection, call: Call) -> str | None:
    try:
        call(connection, "run")
    except psycopg.Error as error:
        return error.sqlstate
    return None
