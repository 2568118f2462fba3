"""Projecting reads what is new, however long the run is and however many runs there are."""

from collections.abc import Iterator

import psycopg
import pytest
from appends import append, append_batch, event
from projections import folded, get_snapshot, project_all, project_pending, replay_snapshot, set_mode
from runstore.embedded import Server
from support import Connect, Connection, cloned

SIZE = 5000
TABLES = ("run_events", "run_counters", "run_states", "run_steps", "due_runs", "alert_log")


@pytest.fixture(scope="module")
def big(server: Server, template: str) -> Iterator[str]:
    """The name of a store with one run of many steps and many runs of one, all projected, none of it analysed."""
    with cloned(server, template) as name:
        with psycopg.connect(server.dsn(name), autocommit=True) as connection:
            for table in TABLES:
                connection.execute(f"alter table runstore.{table} set (autovacuum_enabled = false)".encode())
            append_batch(connection, [event("long", f"step-{n}") for n in range(SIZE)])
            append_batch(connection, [event(f"run-{n}", "only") for n in range(SIZE)])
            project_all(connection)
        yield name


@pytest.fixture(params=["as_installed", "analysed"])
def dsn(server: Server, big: str, request: pytest.FixtureRequest) -> Iterator[str]:
    """A copy of that store, whose planner knows nothing of it or all."""
    with cloned(server, big) as name:
        if request.param == "analysed":
            with psycopg.connect(server.dsn(name), autocommit=True) as connection:
                connection.execute("vacuum analyze")
        yield server.dsn(name)


def _rows_read(connection: Connection) -> dict[str, int]:
    """Return how many rows of each table this session has read, as far as it has not reported them."""
    rows = connection.execute(
        "select relname, seq_tup_read + coalesce(idx_tup_fetch, 0) from pg_stat_xact_user_tables "
        "where schemaname = 'runstore'"
    )
    return {table: read for table, read in rows if table in TABLES}


def _project_and_count(connection: Connection, run: str, step: str, mode: str) -> dict[str, int]:
    """Append an event and project it, in one transaction, and return how many rows the projection read.

    Inline, the append is part of it.
    """
    if mode == "async":
        append(connection, event(run, step))
    before = _rows_read(connection)
    if mode == "inline":
        append(connection, event(run, step))
    else:
        assert project_pending(connection) == 1
    after = _rows_read(connection)
    connection.commit()
    return {table: after[table] - before[table] for table in TABLES}


@pytest.mark.parametrize("mode", ["async", "inline"])
def test_projecting_an_event_reads_a_handful_of_rows(connect: Connect, mode: str) -> None:
    """Often enough in one session that the plans it keeps are used."""
    observer, session = connect(), connect(autocommit=False)
    set_mode(observer, mode)
    for n in range(12):
        for run in ("long", f"run-{n}", f"new-{n}"):
            read = _project_and_count(session, run, f"new-{n}", mode)
            assert max(read.values()) <= 12, f"{run}, round {n}: {read}"


def test_projecting_a_step_again_reads_that_step_only(connect: Connect) -> None:
    session = connect(autocommit=False)
    for attempt in range(2, 12):
        append(session, event("long", "step-42", logicalAttemptId=attempt))
        before = _rows_read(session)
        assert project_pending(session) == 1
        after = _rows_read(session)
        session.commit()
        assert after["run_steps"] - before["run_steps"] <= 5, f"attempt {attempt}"


def test_projecting_many_runs_reads_those_only(connect: Connect) -> None:
    session = connect(autocommit=False)
    for n in range(8):
        append_batch(session, [event(f"run-{i}", f"new-{n}") for i in range(50)])
        before = _rows_read(session)
        assert project_pending(session) == 50
        after = _rows_read(session)
        session.commit()
        read = {table: after[table] - before[table] for table in TABLES}
        assert max(read.values()) <= 50 * 12, f"round {n}: {read}"


def test_a_projector_without_work_reads_nothing(connect: Connect) -> None:
    session = connect(autocommit=False)
    for _ in range(8):
        before = _rows_read(session)
        assert project_pending(session) == 0
        assert _rows_read(session) == before


def test_reading_a_snapshot_reads_its_run_only(connect: Connect) -> None:
    session = connect(autocommit=False)
    for n in range(8):
        before = _rows_read(session)
        snapshot = get_snapshot(session, f"run-{n}")
        after = _rows_read(session)
        assert snapshot is not None
        assert {table: after[table] - before[table] for table in TABLES} == {
            **dict.fromkeys(TABLES, 0),
            "run_states": 1,
            "run_steps": 1,
        }


def test_what_was_read_was_enough(connect: Connect) -> None:
    session = connect()
    append_batch(session, [event("long", f"step-{n}", logicalAttemptId=2) for n in range(0, SIZE, 1000)])
    append(session, event("run-7", "again"))
    assert project_pending(session) == 2
    for run in ("long", "run-7"):
        snapshot = get_snapshot(session, run)
        assert snapshot is not None
        assert folded(snapshot) == replay_snapshot(session, run)
