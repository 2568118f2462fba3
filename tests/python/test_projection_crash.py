"""A projector that dies at any point, alone or with the server, loses nothing: another goes on at its watermark."""

import os
import random
import socket
import threading
from collections.abc import Iterator

import psycopg
import pytest
from appends import Ack, Event, append, append_batch, append_named, event, impatient, together, waiting
from checker import check_log
from projections import (
    any_event,
    check_projections,
    due,
    hold_step,
    meanwhile,
    project_all,
    project_pending,
    project_snapshot,
    refused_event,
    resync_run,
    run_event,
    versions,
)
from runstore.embedded import Server
from support import Connect, Connection, make_template

RUNS = [f"run-{n}" for n in range(6)]
KILLS = 3
BETWEEN_KILLS = 60


@pytest.fixture
def dsn(dsn: str) -> str:
    """A fresh database, in which nobody waits for ever."""
    return impatient(dsn)


@pytest.fixture
def own(pg_bin: str | None) -> Iterator[Server]:
    """A server of this test's own, durable as PostgreSQL ships."""
    with Server.temporary(pg_bin=pg_bin) as server:
        server.start()
        make_template(server, "crashed")
        yield server


@pytest.mark.parametrize("how", ["terminated", "cut off"])
def test_a_projector_that_dies_in_its_transaction_leaves_its_runs_to_the_next(connect: Connect, how: str) -> None:
    observer, dying, waiter = connect(), connect(autocommit=False), connect()
    for run in RUNS:
        append_batch(observer, [run_event(run, "RunStarted"), event(run, "a")])
    project_all(observer)
    for run in RUNS:
        append(observer, refused_event(run))
    assert project_pending(dying, 3) == 3
    assert project_pending(observer) == 3
    with waiting(observer, waiter, lambda: append(waiter, event(RUNS[0], "b"))) as answer:
        if how == "terminated":
            observer.execute("select pg_terminate_backend(%s)", [dying.info.backend_pid])
        else:
            with socket.socket(fileno=os.dup(dying.fileno())) as line:
                line.shutdown(socket.SHUT_RDWR)
    assert answer.result().run_seq == 4
    assert versions(observer) == {**dict.fromkeys(RUNS[:3], (2, 0)), **dict.fromkeys(RUNS[3:], (3, 1))}
    assert project_all(observer) == 3
    assert versions(observer) == {RUNS[0]: (4, 1), **dict.fromkeys(RUNS[1:], (3, 1))}
    check_projections(observer)


@pytest.mark.parametrize("project", ["project_pending", "project_snapshot", "resync_run"])
def test_a_projector_that_dies_in_the_middle_of_a_run_leaves_it_as_it_was(connect: Connect, project: str) -> None:
    observer, holder, dying, next_one = connect(), connect(autocommit=False), connect(), connect()
    append_batch(observer, [run_event("run", "RunStarted"), event("run", "a")])
    project_all(observer)
    append_batch(observer, [refused_event("run"), event("run", "held"), event("other", "a")])
    hold_step(holder, "run", "held")
    calls = {
        "project_pending": lambda: project_pending(dying),
        "project_snapshot": lambda: project_snapshot(dying, "run"),
        "resync_run": lambda: resync_run(dying, "run"),
    }
    with waiting(observer, dying, calls[project]) as killed:
        observer.execute("select pg_terminate_backend(%s)", [dying.info.backend_pid])
    with pytest.raises(psycopg.OperationalError):
        killed.result()
    assert versions(observer) == {"run": (2, 0)}
    assert due(observer) == ["other", "run"]
    with waiting(observer, next_one, lambda: project_pending(next_one)) as done:
        holder.rollback()
    assert done.result() == 2
    assert versions(observer) == {"run": (4, 1), "other": (1, 0)}
    check_projections(observer)


@pytest.mark.parametrize("how", ["by another", "by a timeout"])
def test_a_projector_whose_statement_is_cancelled_parks_nothing(connect: Connect, how: str) -> None:
    observer, holder, projector = connect(), connect(autocommit=False), connect()
    append(observer, event("run", "held"))
    hold_step(holder, "run", "held")
    if how == "by another":
        with waiting(observer, projector, lambda: project_pending(projector)) as cancelled:
            observer.execute("select pg_cancel_backend(%s)", [projector.info.backend_pid])
        with pytest.raises(psycopg.errors.QueryCanceled):
            cancelled.result()
    else:
        projector.execute("set statement_timeout = '500ms'")
        with pytest.raises(psycopg.errors.QueryCanceled):
            project_pending(projector)
    holder.rollback()
    assert versions(observer) == {}
    assert project_all(observer) == 1
    check_projections(observer)


class Client:
    """A client that makes its calls until they are answered, through as many connections as that takes."""

    def __init__(self, server: Server, is_up: threading.Event, options: str = "") -> None:
        self.server = server
        self.is_up = is_up
        self.options = options
        self.connection: Connection | None = None
        self.interrupted = 0

    def open(self) -> Connection:
        """Return a connection that worked when it was last used."""
        if self.connection is None:
            self.is_up.wait()
            dsn = self.server.dsn("crashed", options=self.options)
            self.connection = psycopg.connect(dsn, autocommit=True)
        return self.connection

    def append(self, sent: list[Event]) -> list[Ack]:
        """Append the events, and again if the server dies before it has answered."""
        while True:
            try:
                session = self.open()
                answers = append_batch(session, sent) if len(sent) > 1 else [append_named(session, sent[0])]
                return list(zip(sent, answers, strict=True))
            except psycopg.OperationalError:
                self.close()

    def project(self) -> None:
        """Project once, unless the server dies meanwhile."""
        try:
            project_pending(self.open(), 3)
        except psycopg.OperationalError:
            self.close()

    def close(self) -> None:
        """Give the connection up."""
        if self.connection is not None:
            self.interrupted += 1
            self.connection.close()
            self.connection = None


def test_a_killed_server_loses_no_event_and_projections_catch_up(own: Server) -> None:
    """One projector does not wait for its commits to be durable: what is lost of them is made again from the log."""
    is_up, enough, finished = threading.Event(), threading.Semaphore(0), threading.Event()
    is_up.set()
    writers = [Client(own, is_up) for _ in range(4)]
    projectors = [Client(own, is_up), Client(own, is_up, "-c synchronous_commit=off")]

    def write(client: int) -> list[Ack]:
        chance = random.Random(client)  # noqa: S311
        acknowledged: list[Ack] = []
        while not finished.is_set():
            name = f"{client}-{len(acknowledged)}"
            sent = [any_event(chance.choice(RUNS), f"{name}-{n}") for n in range(chance.choice((1, 1, 5)))]
            acknowledged += writers[client].append(sent)
            enough.release()
        return acknowledged

    def crash() -> list[Ack]:
        try:
            for _ in range(KILLS):
                for _ in range(BETWEEN_KILLS):
                    assert enough.acquire(timeout=60), "the writers have stopped"
                is_up.clear()
                own.kill()
                own.restart()
                is_up.set()
        finally:
            finished.set()
            is_up.set()
        return []

    with meanwhile(*(projector.project for projector in projectors)):
        acknowledged = together(5, lambda client: crash() if client == 4 else write(client))
    assert all(client.interrupted for client in writers + projectors)
    for client in writers + projectors:
        client.close()
    with psycopg.connect(own.dsn("crashed"), autocommit=True) as connection:
        check_log(connection, acknowledged, everything=False)
        project_all(connection)
        check_projections(connection)
