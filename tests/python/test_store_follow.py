"""follow(): every event once, in order, as it comes; it ends when it is told to, and stops at damage."""

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import pytest
import runstore
from psycopg.conninfo import make_conninfo
from runstore import RunStore, _calls, errors
from runstore.embedded import Server
from stores import Stores, until, write
from support import Connect, Connection, cloned


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
def store(stores: Stores) -> RunStore:
    """A store with connections of its own."""
    return stores.connect()


@pytest.fixture
def run() -> str:
    """A run that no other test has."""
    return f"run-{uuid4()}"


def test_what_is_there_is_read_page_by_page(store: RunStore, run: str) -> None:
    store.append_events([write(run, f"s{number}") for number in range(7)])
    assert [each.run_seq for each in store.follow(run, timeout=0, limit=3)] == [1, 2, 3, 4, 5, 6, 7]
    assert [each.run_seq for each in store.follow(run, 4, timeout=0, limit=3)] == [5, 6, 7]
    assert list(store.follow(run, 7, timeout=0)) == []


def test_an_unknown_run_has_no_events_yet(store: RunStore, run: str) -> None:
    assert list(store.follow(run, timeout=0)) == []


def test_events_are_seen_in_order_as_another_thread_appends_them(stores: Stores, dsn: str, run: str) -> None:
    follower, count = stores.connect(), 60

    def write_all() -> None:
        with runstore.connect(dsn) as writer:
            for number in range(0, count, 3):
                writer.append_events([write(run, f"s{number + more}") for more in range(2)])
                writer.append_event(write(run, f"s{number + 2}"))

    with ThreadPoolExecutor(1) as pool:
        events = follower.follow(run, poll=0.001, timeout=30)
        writing = pool.submit(write_all)
        seen = [next(events) for _ in range(count)]
        writing.result()
    assert [(each.run_seq, each.step_id) for each in seen] == [(n + 1, f"s{n}") for n in range(count)]


def test_it_goes_on_after_the_end_of_a_run_until_it_is_told(store: RunStore, run: str) -> None:
    store.append_events([write(run), write(run, event_type="RunCompleted")])
    events = store.follow(run, poll=0.001, timeout=30)
    assert [next(events).event_type, next(events).event_type] == ["RunStarted", "RunCompleted"]
    store.append_event(write(run, "late"))
    assert next(events).step_id == "late"


def test_it_ends_at_the_first_look_that_finds_nothing_where_it_may_not_wait(store: RunStore, run: str) -> None:
    store.append_event(write(run, "a"))
    seen = []
    for each in store.follow(run, timeout=0):
        seen.append(each.step_id)
        if len(seen) < 4:
            store.append_event(write(run, f"after {each.step_id}"))
    assert len(seen) == 4


def test_only_the_time_since_the_first_look_that_found_nothing_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(_calls, "monotonic", lambda: now)
    follower = _calls.Follower("run", 0, poll=2, timeout=5)
    assert follower.pause(got=0) == 2
    now = 104.0
    assert follower.pause(got=0) == 1
    assert follower.pause(got=1) == 0
    now = 1000.0
    assert follower.pause(got=0) == 2
    now = 1005.0
    assert follower.pause(got=0) is None


def test_it_ends_between_two_events_when_it_is_stopped(store: RunStore, run: str) -> None:
    store.append_events([write(run, step) for step in "abc"])
    stop = threading.Event()
    events = store.follow(run, stop=stop)
    assert next(events).step_id == "a"
    stop.set()
    assert list(events) == []


def test_it_ends_while_it_waits_when_it_is_stopped(stores: Stores, connect: Connect, run: str) -> None:
    store, observer, stop = (
        stores.connect(make_conninfo(stores.dsn, application_name=run)),
        connect(),
        threading.Event(),
    )
    idle = "select from pg_stat_activity where application_name = %s and query ~ 'fetch_events' and state = 'idle'"
    with ThreadPoolExecutor(1) as pool:
        reading = pool.submit(lambda: list(store.follow(run, poll=60, timeout=60, stop=stop)))
        try:
            until(lambda: observer.execute(idle, [run]).fetchone() is not None)
        finally:
            stop.set()
        assert reading.result(timeout=30) == []


def test_it_stops_at_a_gap_and_says_which(store: RunStore, connect: Connect, run: str) -> None:
    store.append_events([write(run, step) for step in "abcde"])
    _lose(connect(), run, 3)
    events = store.follow(run, timeout=0, limit=2)
    assert [next(events).run_seq, next(events).run_seq] == [1, 2]
    with pytest.raises(errors.GapDetected) as caught:
        next(events)
    assert caught.value.detail == {"runId": run, "expected": 3, "found": 4}
    assert (caught.value.sqlstate, bool(caught.value.hint)) == (None, True)
    assert [each.run_seq for each in store.follow(run, 3, timeout=0)] == [4, 5]


def test_a_missing_first_event_is_a_gap_too(store: RunStore, connect: Connect, run: str) -> None:
    store.append_events([write(run, step) for step in "ab"])
    _lose(connect(), run, 1)
    with pytest.raises(errors.GapDetected):
        next(store.follow(run, timeout=0))


def test_it_goes_on_when_its_connection_is_lost(stores: Stores, connect: Connect, run: str) -> None:
    store, observer = stores.connect(max_size=1), connect()
    store.append_event(write(run, "a"))
    events = store.follow(run, poll=0.001, timeout=30)
    assert next(events).step_id == "a"
    observer.execute(
        "select pg_terminate_backend(pid, 5000) from pg_stat_activity "
        "where application_name = 'runstore' and datname = current_database()"
    )
    RunStore.on(observer).append_event(write(run, "b"))
    assert next(events).step_id == "b"


def test_it_holds_no_connection_while_its_reader_is_busy(stores: Stores, run: str) -> None:
    store = stores.connect(max_size=1, timeout=5)
    store.append_events([write(run, step) for step in "ab"])
    for each in store.follow(run, timeout=0):
        assert len(store.fetch_events(run, each.run_seq - 1)) == 3 - each.run_seq


def test_in_a_transaction_it_sees_what_the_transaction_sees(stores: Stores, run: str) -> None:
    inside, connection = stores.borrow()
    inside.append_event(write(run, "a"))
    assert [each.step_id for each in inside.follow(run, timeout=0)] == ["a"]
    connection.rollback()
    assert list(inside.follow(run, timeout=0)) == []


def test_tasks_follow_while_others_append(dsn: str, run: str) -> None:
    async def read(store: runstore.AsyncRunStore, stop: asyncio.Event) -> list[int]:
        return [each.run_seq async for each in store.follow(run, poll=0.001, stop=stop)]

    async def main() -> list[list[int]]:
        async with runstore.connect_async(dsn) as store:
            stop = asyncio.Event()
            readers = [asyncio.create_task(read(store, stop)) for _ in range(3)]
            for number in range(20):
                await store.append_event(write(run, f"s{number}"))
            stop.set()
            return [await reader for reader in readers]

    for seen in asyncio.run(main()):
        assert seen == list(range(1, len(seen) + 1))


def test_a_task_that_follows_is_stopped_while_it_waits(dsn: str, run: str) -> None:
    async def main() -> list[str | None]:
        async with runstore.connect_async(dsn) as store:
            await store.append_event(write(run, "a"))
            stop = asyncio.Event()
            seen = []
            async for each in store.follow(run, poll=600, stop=stop):
                seen.append(each.step_id)
                asyncio.get_running_loop().call_later(0.05, stop.set)
            return seen

    assert asyncio.run(asyncio.wait_for(main(), 30)) == ["a"]


def _lose(session: Connection, run: str, seq: int) -> None:
    """Take an event out of the log, which its guard would refuse."""
    with session.transaction():
        session.execute("alter table runstore.run_events disable trigger run_events_guard")
        session.execute("delete from runstore.run_events where run_id = %s and run_seq = %s", [run, seq])
        session.execute("alter table runstore.run_events enable always trigger run_events_guard")
