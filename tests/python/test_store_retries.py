"""What is sent again and what is not: by killed backends, lost answers, lost races and deadlocks of real sessions."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar
from uuid import uuid4

import psycopg
import pytest
from appends import append, event
from psycopg.conninfo import make_conninfo
from runstore import AppendResult, RunStore, errors
from runstore.embedded import Server
from stores import Line, Stores, until, waiting_pid, write
from support import Connect, Connection, cloned, wait_until_blocked

T = TypeVar("T")
Send = Callable[[RunStore, str], AppendResult]

REPEATABLE: dict[str, Any] = {"options": "-c default_transaction_isolation=repeatable\\ read"}


def _single(store: RunStore, run: str) -> AppendResult:
    return store.append_event(write(run, "sent"))


def _batch(store: RunStore, run: str) -> AppendResult:
    return store.append_events([write(run, "sent")])[0]


def _many(store: RunStore, run: str) -> AppendResult:
    return store.append_many([write(run, "sent")])[0]


sends = pytest.mark.parametrize("send", [_single, _batch, _many])


@pytest.fixture(scope="module")
def dsn(server: Server, template: str) -> Iterator[str]:
    """One database for all tests: each has runs of its own."""
    with cloned(server, template) as name:
        yield server.dsn(name)


@pytest.fixture(params=["sync", "async"])
def stores(request: pytest.FixtureRequest, dsn: str) -> Iterator[Stores]:
    """Stores of one kind."""
    with Stores(request.param, dsn) as made:
        yield made


@pytest.fixture
def run() -> str:
    """A run that no other test has."""
    return f"run-{uuid4()}"


@pytest.fixture
def observer(connect: Connect) -> Connection:
    """A session that looks on."""
    return connect()


@pytest.fixture(scope="module")
def failing(server: Server, template: str) -> Iterator[str]:
    """A database in which get_snapshot() counts its calls and raises the SQLSTATE that the run is called."""
    with cloned(server, template) as name:
        with psycopg.connect(server.dsn(name), autocommit=True) as session:
            session.execute("create sequence public.tries")
            session.execute(
                "create or replace function runstore.get_snapshot(p_run_id text) returns jsonb language plpgsql as "
                "$$ begin perform nextval('public.tries'); raise exception using errcode = p_run_id; end $$"
            )
        yield server.dsn(name)


@sends
def test_an_event_whose_backend_was_killed_is_stored_once(
    stores: Stores, connect: Connect, observer: Connection, run: str, send: Send
) -> None:
    store, holder = stores.connect(), connect(autocommit=False)
    append(holder, event(run, "held"))
    with _meanwhile(lambda: send(store, run)) as answer:
        observer.execute("select pg_terminate_backend(%s)", [waiting_pid(observer)])
        holder.commit()
    assert (answer.result().run_seq, answer.result().persisted) == (2, True)
    assert [each.step_id for each in store.fetch_events(run)] == ["held", "sent"]


@sends
def test_an_event_whose_answer_was_lost_is_stored_once(stores: Stores, run: str, send: Send) -> None:
    with Line(stores.dsn) as line:
        store = stores.connect(line.dsn)
        store.append_event(write(run))
        line.lose_answer_to("runstore.append_event")
        answer = send(store, run)
        store.close()
    assert line.answers_lost == 1
    assert (answer.run_seq, answer.idempotent, answer.persisted) == (2, True, False)
    stored = stores.connect().fetch_events(run)
    assert [(each.run_seq, each.event_id) for each in stored[1:]] == [(2, answer.event_id)]


def test_a_batch_of_many_pipelines_survives_a_lost_answer(stores: Stores, run: str) -> None:
    sent = [write(run, f"s{number}") for number in range(450)]
    with Line(stores.dsn) as line:
        store = stores.connect(line.dsn)
        store.append_many(sent[:10])
        line.lose_answer_to("s300")
        answers = store.append_many(sent)
        store.close()
    assert line.answers_lost == 1
    assert [each.run_seq for each in answers] == list(range(1, 451))
    assert len(stores.connect().fetch_events(run)) == 450


def test_a_lost_answer_is_an_error_where_nothing_is_sent_again(stores: Stores, run: str) -> None:
    with Line(stores.dsn) as line:
        store = stores.connect(line.dsn, retries=0)
        store.append_event(write(run))
        line.lose_answer_to("runstore.append_event")
        with pytest.raises(psycopg.OperationalError):
            store.append_event(write(run, "sent"))
        store.close()


@sends
def test_a_lost_race_is_run_again(stores: Stores, connect: Connect, observer: Connection, run: str, send: Send) -> None:
    store, holder = stores.connect(make_conninfo(stores.dsn, **REPEATABLE)), connect(autocommit=False)
    append(observer, event(run, "start"))
    append(holder, event(run, "held"))
    with _meanwhile(lambda: send(store, run)) as answer:
        waiting_pid(observer)
        holder.commit()
    assert (answer.result().run_seq, answer.result().persisted) == (3, True)


def test_a_lost_race_is_an_error_where_nothing_is_sent_again(
    stores: Stores, connect: Connect, observer: Connection, run: str
) -> None:
    store, holder = stores.connect(make_conninfo(stores.dsn, **REPEATABLE), retries=0), connect(autocommit=False)
    append(observer, event(run, "start"))
    append(holder, event(run, "held"))
    with _meanwhile(lambda: _single(store, run)) as answer:
        waiting_pid(observer)
        holder.commit()
    with pytest.raises(psycopg.errors.SerializationFailure):
        answer.result()


@pytest.mark.parametrize("method", ["append_events", "append_many"])
def test_the_victim_of_a_deadlock_tries_again(
    stores: Stores, connect: Connect, observer: Connection, run: str, method: str
) -> None:
    """The store is the one that closes the circle, and the only one that looks for it soon, so it gives way."""
    runs = [f"{run}-{name}" for name in "abc"]
    for each in runs:
        append(observer, event(each, "start"))
    store = stores.connect(make_conninfo(stores.dsn, options="-c deadlock_timeout=20ms"))
    gate, other = connect(autocommit=False), connect(autocommit=False, options="-c deadlock_timeout=60s")
    append(gate, event(runs[1], "gate"))
    append(other, event(runs[2], "held"))
    with _meanwhile(lambda: getattr(store, method)([write(each, "sent") for each in runs])) as answers:
        waiting_pid(observer)
        with _meanwhile(lambda: append(other, event(runs[0], "held"))) as closing:
            wait_until_blocked(observer, other.info.backend_pid)
            gate.commit()
        closing.result()
        other.commit()
    assert [each.run_seq for each in answers.result()] == [3, 3, 3]
    assert [each.step_id for each in store.fetch_events(runs[0])] == ["start", "held", "sent"]


def test_a_pool_of_dead_connections_costs_one_try(stores: Stores, observer: Connection, run: str) -> None:
    store = stores.connect(make_conninfo(stores.dsn, application_name=f"dead-{run}"), min_size=3, max_size=3, retries=1)
    store.append_event(write(run))
    sessions = "from pg_stat_activity where application_name = %s and state = 'idle'"

    def all_are_there() -> bool:
        store.version()
        return observer.execute(f"select count(*) {sessions}".encode(), [f"dead-{run}"]).fetchone() == (3,)

    until(all_are_there)
    observer.execute(f"select pg_terminate_backend(pid, 5000) {sessions}".encode(), [f"dead-{run}"])
    assert store.append_event(write(run, "sent")).run_seq == 2
    assert len(store.fetch_events(run)) == 2


def test_what_fails_each_time_is_tried_as_often_as_told(stores: Stores, failing: str) -> None:
    before = _tries(failing)
    with pytest.raises(psycopg.errors.SerializationFailure):
        stores.connect(failing, retries=2).get_snapshot("40001")
    assert _tries(failing) - before == 3


@pytest.mark.parametrize("sqlstate", ["40001", "40P01", "57P01", "57P02", "57P03", "57P05"])
def test_what_may_pass_is_sent_again(stores: Stores, failing: str, sqlstate: str) -> None:
    before = _tries(failing)
    with pytest.raises(psycopg.OperationalError) as caught:
        stores.connect(failing, retries=1).get_snapshot(sqlstate)
    assert caught.value.sqlstate == sqlstate
    assert _tries(failing) - before == 2


@pytest.mark.parametrize("sqlstate", ["RS006", "RS010", "22023", "42501", "55P03", "57014", "57P04", "P0001"])
def test_what_is_refused_is_not_sent_again(stores: Stores, failing: str, sqlstate: str) -> None:
    before = _tries(failing)
    with pytest.raises((psycopg.Error, errors.RunStoreError)) as caught:
        stores.connect(failing).get_snapshot(sqlstate)
    assert isinstance(caught.value, psycopg.Error | errors.RunStoreError)
    assert caught.value.sqlstate == sqlstate
    assert _tries(failing) - before == 1


def test_a_lost_race_in_the_callers_transaction_is_the_callers(
    stores: Stores, connect: Connect, observer: Connection, run: str
) -> None:
    append(observer, event(run, "start"))
    inside, connection = stores.borrow(**REPEATABLE)
    inside.fetch_events(run)
    append(observer, event(run, "first"))
    with pytest.raises(psycopg.errors.SerializationFailure):
        inside.append_event(write(run, "sent"))
    assert connection.info.transaction_status == psycopg.pq.TransactionStatus.INERROR
    connection.rollback()
    assert inside.append_event(write(run, "sent")).run_seq == 3
    connection.rollback()


@sends
def test_a_lost_connection_of_the_caller_is_the_callers(
    stores: Stores, observer: Connection, run: str, send: Send
) -> None:
    inside, connection = stores.borrow(autocommit=True)
    inside.append_event(write(run, "a"))
    observer.execute("select pg_terminate_backend(%s, 5000)", [connection.info.backend_pid])
    with pytest.raises(psycopg.OperationalError):
        send(inside, run)
    assert connection.closed
    assert [each.step_id for each in stores.connect().fetch_events(run)] == ["a"]


def _tries(dsn: str) -> int:
    with psycopg.connect(dsn, autocommit=True) as session:
        row = session.execute("select case when is_called then last_value else 0 end from public.tries").fetchone()
    assert row
    return int(row[0])


@contextmanager
def _meanwhile(call: Callable[[], T]) -> Iterator["Future[T]"]:
    """Make the call in another thread while the block is run; it is over after the block."""
    with ThreadPoolExecutor(1) as pool:
        yield pool.submit(call)
