"""Load in every isolation level: what fails is 40001, a retry with the same key works, and the log is whole."""

import random

import psycopg
import pytest
from appends import (
    LEVELS,
    Ack,
    Answer,
    Event,
    append_batch,
    append_named,
    event,
    followed,
    impatient,
    set_level,
    together,
)
from checker import check_log
from support import Connect, Connection

CLIENTS = 8


@pytest.fixture
def dsn(dsn: str) -> str:
    """A fresh database, in which nobody waits for ever."""
    return impatient(dsn)


@pytest.mark.parametrize("level", LEVELS)
def test_writers_that_retry_get_everything_stored_once(connect: Connect, level: str) -> None:
    clients = [set_level(connect(), level) for _ in range(CLIENTS)]
    runs = [f"run-{n}" for n in range(3)]
    failures: list[str | None] = []

    def retried(session: Connection, sent: list[Event]) -> list[Answer]:
        while True:
            try:
                return append_batch(session, sent) if len(sent) > 1 else [append_named(session, sent[0])]
            except psycopg.errors.SerializationFailure as failure:
                failures.append(failure.sqlstate)

    def write(client: int) -> list[Ack]:
        chance = random.Random(client)  # noqa: S311
        acknowledged: list[Ack] = []
        for n in range(25):
            batch = [event(chance.choice(runs), f"{client}-{n}-{i}") for i in range(chance.choice([1, 1, 4]))]
            batch += [event(chance.choice(runs), f"shared-{chance.randrange(12)}")]
            for sent in [batch] if n % 2 else [[single] for single in batch]:
                acknowledged += zip(sent, retried(clients[client], sent), strict=True)
        return acknowledged

    with followed(connect(), runs):
        acknowledged = together(CLIENTS, write)
    check_log(connect(), acknowledged)
    assert bool(failures) is (level != "read committed")


@pytest.mark.parametrize("level", LEVELS)
def test_a_repeat_and_a_read_in_an_open_transaction_see_its_own_appends(connect: Connect, level: str) -> None:
    session = set_level(connect(autocommit=False), level)
    first = append_named(session, event("run", "a"))
    again = append_named(session, event("run", "a"))
    batch = append_batch(session, [event("run", "a"), event("run", "b")])
    assert (again.event_id, again.idempotent) == (first.event_id, True)
    assert [(answer.run_seq, answer.idempotent) for answer in batch] == [(1, True), (2, False)]
    assert session.execute("select run_seq from runstore.fetch_events('run')").fetchall() == [(1,), (2,)]
    session.rollback()
    check_log(session, [])


@pytest.mark.parametrize("level", LEVELS[1:])
def test_an_old_snapshot_may_append_to_runs_that_nobody_touched(connect: Connect, level: str) -> None:
    old, other = set_level(connect(autocommit=False), level), connect()
    append_named(other, event("quiet", "start"))
    old.execute("select 1")
    append_named(other, event("busy", "a"))
    assert append_named(old, event("quiet", "a")).run_seq == 2
    assert append_batch(old, [event("new", "a"), event("quiet", "b")])[1].run_seq == 3
    old.commit()
