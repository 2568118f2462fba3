"""The server is killed under load, again and again: nothing acknowledged is lost, nothing is half done."""

import os
import random
import signal
import threading
from collections.abc import Callable, Iterator

import psycopg
import pytest
from appends import Ack, Answer, Event, append, append_batch, append_named, event, together
from checker import check_log
from runstore.embedded import Server
from support import Connection, make_template

WRITERS = 8
KILLS = 8
BETWEEN_KILLS = 200
RUNS = [f"run-{n}" for n in range(5)]


@pytest.fixture
def own(pg_bin: str | None) -> Iterator[Server]:
    """A server of this test's own, durable as PostgreSQL ships."""
    with Server.temporary(pg_bin=pg_bin) as server:
        server.start()
        make_template(server, "crashed")
        yield server


class Writer:
    """A client that sends until it has its answer, through as many connections as that takes."""

    def __init__(self, server: Server, is_up: threading.Event) -> None:
        self.server = server
        self.is_up = is_up
        self.connection: Connection | None = None
        self.interrupted = 0

    def send(self, sent: list[Event], how: str) -> list[Answer]:
        """Send the events, and again if the server dies before it has answered."""
        while True:
            self.is_up.wait()
            try:
                return self._try(sent, how)
            except psycopg.OperationalError:
                self.interrupted += 1
                self.close()

    def close(self) -> None:
        """Give the connection up."""
        if self.connection is not None:
            self.connection.close()
            self.connection = None

    def _try(self, sent: list[Event], how: str) -> list[Answer]:
        if self.connection is None:
            self.connection = psycopg.connect(self.server.dsn("crashed"))
        if how == "batch":
            answers = append_batch(self.connection, sent)
        else:
            answers = [(append if how == "json" else append_named)(self.connection, item) for item in sent]
        self.connection.commit()
        return answers


def _kill_everything(server: Server, is_up: threading.Event) -> None:
    is_up.clear()
    server.kill()
    server.restart()
    is_up.set()


def _kill_one_process(server: Server, is_up: threading.Event) -> None:
    """Kill one client's process; the server then throws out all the others, and recovers by itself."""
    with psycopg.connect(server.dsn(), autocommit=True) as connection:
        row = connection.execute("select pid from pg_stat_activity where datname = 'crashed' limit 1").fetchone()
    assert row
    os.kill(row[0], signal.SIGKILL)


@pytest.mark.parametrize("kill", [_kill_everything, _kill_one_process])
def test_a_killed_server_keeps_what_it_acknowledged_and_half_does_nothing(
    own: Server, kill: Callable[[Server, threading.Event], None]
) -> None:
    is_up, enough, finished = threading.Event(), threading.Semaphore(0), threading.Event()
    is_up.set()
    writers = [Writer(own, is_up) for _ in range(WRITERS)]

    def write(client: int) -> list[Ack]:
        chance = random.Random(client)  # noqa: S311
        acknowledged: list[Ack] = []
        writer, n = writers[client], 0
        while not finished.is_set():
            n += 1
            how = chance.choice(["batch", "json", "named"])
            # Whoever locks several runs by single calls in one transaction does it in order, or deadlocks.
            runs = sorted(chance.choices(RUNS, k=chance.randint(1, 5)))
            sent = [event(run, f"{client}-{n}-{i}") for i, run in enumerate(runs)]
            if how == "batch":
                chance.shuffle(sent)
            before = writer.interrupted
            answers = writer.send(sent, how)
            repeated = {answer.idempotent for answer in answers}
            assert len(repeated) == 1, f"half of a transaction survived: {answers}"
            assert writer.interrupted > before or repeated == {False}
            acknowledged += zip(sent, answers, strict=True)
            enough.release()
        return acknowledged

    def crash() -> list[Ack]:
        try:
            for _ in range(KILLS):
                for _ in range(BETWEEN_KILLS):
                    assert enough.acquire(timeout=60), "the writers have stopped"
                kill(own, is_up)
        finally:
            finished.set()
            is_up.set()
        return []

    acknowledged = together(WRITERS + 1, lambda client: crash() if client == WRITERS else write(client))
    for writer in writers:
        writer.close()
    assert all(writer.interrupted for writer in writers)
    with psycopg.connect(own.dsn("crashed"), autocommit=True) as connection:
        check_log(connection, acknowledged, everything=False)
        stored = connection.execute("select count(*) from runstore.run_events").fetchone()
        assert stored == (len(acknowledged),), "every event was sent until it was acknowledged"


def test_an_open_transaction_is_gone_after_a_crash(own: Server) -> None:
    connection = psycopg.connect(own.dsn("crashed"))
    kept, lost = event("run", "kept"), event("run", "lost")
    acknowledged: list[Ack] = [(kept, append(connection, kept))]
    connection.commit()
    append(connection, lost)
    append_batch(connection, [event("run", "lost-too"), event("new", "lost-too")])
    own.kill()
    own.restart()
    with psycopg.connect(own.dsn("crashed"), autocommit=True) as after:
        check_log(after, acknowledged)
        acknowledged.append((lost, append(after, lost)))
        assert acknowledged[-1][1].run_seq == 2
        check_log(after, acknowledged)
    connection.close()
