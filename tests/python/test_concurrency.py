"""Many clients at once: no gap, no double, no deadlock, and a reader that never sees n + 1 before n."""

import os
import random
import socket

import psycopg
import pytest
from appends import (
    Ack,
    Event,
    append,
    append_batch,
    append_named,
    event,
    followed,
    impatient,
    signal,
    together,
    waiting,
)
from checker import check_log
from support import Connect, Connection

CLIENTS = 16


@pytest.fixture
def dsn(dsn: str) -> str:
    """A fresh database, in which nobody waits for ever."""
    return impatient(dsn)


@pytest.fixture
def clients(connect: Connect) -> list[Connection]:
    """A session for each client."""
    return [connect() for _ in range(CLIENTS)]


def test_sixteen_writers_on_one_run_leave_no_gap(connect: Connect, clients: list[Connection]) -> None:
    def write(client: int) -> list[Ack]:
        send = (append, append_named)[client % 2]
        events = [event("run", f"{client}-{n}") for n in range(30)]
        return [(sent, send(clients[client], sent)) for sent in events]

    with followed(connect(), ["run"]) as seen:
        acknowledged = together(CLIENTS, write)
    check_log(connect(), acknowledged)
    assert seen == {"run": CLIENTS * 30}


def test_sixteen_writers_on_many_runs_leave_no_gap(connect: Connect, clients: list[Connection]) -> None:
    runs = [f"run-{n}" for n in range(40)]

    def write(client: int) -> list[Ack]:
        chance = random.Random(client)  # noqa: S311
        events = [event(chance.choice(runs), f"{client}-{n}") for n in range(30)]
        return [(sent, append_named(clients[client], sent)) for sent in events]

    with followed(connect(), runs) as seen:
        acknowledged = together(CLIENTS, write)
    check_log(connect(), acknowledged)
    assert sum(seen.values()) == CLIENTS * 30


def test_sixteen_writers_with_the_same_keys_store_each_once(connect: Connect, clients: list[Connection]) -> None:
    events = [event(f"run-{n % 3}", f"{n}") for n in range(40)]

    def write(client: int) -> list[Ack]:
        send = (append, append_named)[client % 2]
        order = random.Random(client // 2).sample(events, len(events))  # noqa: S311
        return [(sent, send(clients[client], sent)) for sent in order]

    with followed(connect(), ["run-0", "run-1", "run-2"]) as seen:
        acknowledged = together(CLIENTS, write)
    check_log(connect(), acknowledged)
    assert sum(seen.values()) == len(events)


def test_batches_and_singles_over_the_same_runs_and_keys_mix(connect: Connect, clients: list[Connection]) -> None:
    runs = [f"run-{n}" for n in range(6)]

    def write(client: int) -> list[Ack]:
        chance = random.Random(client)  # noqa: S311
        acknowledged: list[Ack] = []
        for n in range(12):
            own = [event(chance.choice(runs), f"{client}-{n}-{i}") for i in range(chance.randint(1, 6))]
            shared = [event(chance.choice(runs), f"shared-{chance.randrange(20)}") for _ in range(3)]
            batch = chance.sample(own + shared, len(own + shared))
            if chance.random() < 0.5:
                acknowledged += zip(batch, append_batch(clients[client], batch), strict=True)
            else:
                acknowledged += [(sent, append(clients[client], sent)) for sent in batch]
        return acknowledged

    with followed(connect(), runs) as seen:
        acknowledged = together(CLIENTS, write)
    check_log(connect(), acknowledged)
    assert sum(seen.values()) == sum(answer.persisted for _, answer in acknowledged)


def test_batches_in_opposite_orders_never_deadlock(connect: Connect, clients: list[Connection]) -> None:
    """Each round has runs that are new to all, runs that are known, and repeated keys whose content differs."""

    def write(client: int) -> list[Ack]:
        acknowledged: list[Ack] = []
        for n in range(8):
            runs = [f"old-{i}" for i in range(4)] + [f"new-{n}-{i}" for i in range(4)]
            batch = [event(run, f"{client}-{n}") for run in runs]
            batch += [event(run, "shared", payload={"round": n, "client": client}) for run in runs]
            if client % 2:
                batch.reverse()
            acknowledged += zip(batch, append_batch(clients[client], batch), strict=True)
        return acknowledged

    acknowledged = together(CLIENTS, write)
    check_log(connect(), acknowledged)
    repeats = sum(answer.idempotent for _, answer in acknowledged)
    assert connect().execute("select sum(count) from runstore.alerts").fetchone() == (repeats,)


def test_single_duplicates_and_batches_never_deadlock_over_alerts(connect: Connect, clients: list[Connection]) -> None:
    runs = [f"run-{n}" for n in range(4)]
    first: list[Ack] = [(sent, append(connect(), sent)) for sent in (event(run, "shared") for run in runs)]

    def write(client: int) -> list[Ack]:
        order = runs if client % 2 else runs[::-1]
        acknowledged: list[Ack] = []
        for n in range(10):
            repeats = [event(run, "shared", payload={"n": n, "client": client}) for run in order]
            if client % 4 < 2:
                acknowledged += zip(repeats, append_batch(clients[client], repeats), strict=True)
            else:
                acknowledged += [(sent, append(clients[client], sent)) for sent in repeats]
        return acknowledged

    acknowledged = together(CLIENTS, write)
    check_log(connect(), first + acknowledged)
    assert connect().execute("select sum(count) from runstore.alerts").fetchone() == (len(acknowledged),)


def test_sixteen_senders_of_signals_get_exactly_the_limit(connect: Connect, clients: list[Connection]) -> None:
    connect().execute("select runstore.set_config_value('max_signals_per_minute', '25')")

    def write(client: int) -> list[Ack]:
        acknowledged: list[Ack] = []
        for n in range(4):
            batch = [signal("run", f"{client}-{n}")]
            try:
                if client % 2:
                    acknowledged += zip(batch, append_batch(clients[client], batch), strict=True)
                else:
                    acknowledged.append((batch[0], append(clients[client], batch[0])))
            except psycopg.Error as refusal:
                assert refusal.sqlstate == "RS006", refusal
        return acknowledged

    acknowledged = together(CLIENTS, write)
    check_log(connect(), acknowledged)
    assert len(acknowledged) == 25


@pytest.mark.parametrize("how", ["terminated", "cut off"])
def test_a_client_that_dies_in_its_transaction_leaves_no_gap(connect: Connect, how: str) -> None:
    observer, dying, next_one = connect(), connect(autocommit=False), connect()
    before = event("run", "before")
    acknowledged: list[Ack] = [(before, append(observer, before))]
    append(dying, event("run", "single"))
    append_batch(dying, [event("run", "batch"), event("other", "batch")])
    after = event("run", "after")
    with waiting(observer, next_one, lambda: append(next_one, after)) as answer:
        _end(observer, dying, how)
    acknowledged.append((after, answer.result()))
    assert answer.result().run_seq == 2
    check_log(observer, acknowledged)


def test_a_client_that_is_cut_off_while_it_waits_leaves_no_gap(connect: Connect) -> None:
    observer, holder, waiter = connect(), connect(autocommit=False), connect()
    held, lost = event("run", "held"), event("run", "lost")
    acknowledged: list[Ack] = [(held, append(holder, held))]
    with waiting(observer, waiter, lambda: _append_or_die(waiter, lost)) as answer:
        _end(observer, waiter, "cut off")
        holder.commit()
    assert answer.result() is None
    # The waiter's server process does not know that nobody listens: it may store the event before or after this.
    acknowledged.append((lost, append(observer, lost)))
    assert acknowledged[-1][1].run_seq == 2
    check_log(observer, acknowledged, everything=False)


def test_clients_that_are_killed_under_load_leave_no_gap(connect: Connect) -> None:
    observer = connect()
    runs = ["run-0", "run-1", "run-2"]
    sessions: dict[int, Connection] = {}

    def write(client: int) -> list[Ack]:
        chance = random.Random(client)  # noqa: S311
        acknowledged: list[Ack] = []
        for n in range(15):
            batch = [event(chance.choice(runs), f"{client}-{n}-{i}") for i in range(chance.randint(1, 4))]
            stored = False
            while not stored:
                try:
                    if client not in sessions or sessions[client].closed:
                        sessions[client] = connect(autocommit=False)
                    answers = append_batch(sessions[client], batch)
                    sessions[client].commit()
                    acknowledged += zip(batch, answers, strict=True)
                    stored = True
                except psycopg.OperationalError:
                    assert sessions[client].closed
            if n % 3 == 0:
                victim = sessions.get(chance.randrange(8))
                if victim is not None:
                    _end(observer, victim, chance.choice(["terminated", "cut off"]))
        return acknowledged

    with followed(connect(), runs):
        acknowledged = together(8, write)
    check_log(observer, acknowledged, everything=False)


def _end(observer: Connection, victim: Connection, how: str) -> None:
    """Kill a client's server process, or its connection, without a word to the other side."""
    if victim.closed:
        return
    if how == "terminated":
        observer.execute("select pg_terminate_backend(%s)", [victim.info.backend_pid])
    else:
        with socket.socket(fileno=os.dup(victim.fileno())) as line:
            line.shutdown(socket.SHUT_RDWR)


def _append_or_die(connection: Connection, sent: Event) -> object:
    try:
        return append(connection, sent)
    except psycopg.OperationalError:
        return None
