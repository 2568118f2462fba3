"""Connections of a store's own: threads and tasks that share them, their limits, and what they refuse to work with."""

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from uuid import uuid4

import psycopg
import psycopg_pool
import pytest
import runstore
from appends import append, event, together
from psycopg import sql
from psycopg.conninfo import make_conninfo
from runstore import _calls, errors
from runstore.embedded import Server
from stores import Stores, waiting_pid, write
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
def run() -> str:
    """A run that no other test has."""
    return f"run-{uuid4()}"


def test_threads_share_a_pool(dsn: str, connect: Connect, run: str) -> None:
    named = make_conninfo(dsn, application_name=run)
    with runstore.connect(named, max_size=3) as store:
        answers = together(
            8, lambda client: [store.append_event(write(run, f"c{client}-{number}")) for number in range(15)]
        )
        sessions = connect().execute("select count(*) from pg_stat_activity where application_name = %s", [run])
        assert sessions.fetchone() in [(1,), (2,), (3,)]
    assert sorted(each.run_seq for each in answers) == list(range(1, 121))


def test_tasks_share_a_pool(dsn: str, run: str) -> None:
    async def main() -> list[runstore.AppendResult]:
        async with runstore.connect_async(dsn, max_size=3) as store:
            return await asyncio.gather(*(store.append_event(write(run, f"s{number}")) for number in range(40)))

    assert sorted(each.run_seq for each in asyncio.run(main())) == list(range(1, 41))


def test_a_cancelled_task_leaves_the_pool_in_order(dsn: str, connect: Connect, run: str) -> None:
    holder, observer = connect(autocommit=False), connect()
    append(holder, event(run, "held"))

    async def main() -> int:
        async with runstore.connect_async(dsn, max_size=1) as store:
            task = asyncio.create_task(store.append_event(write(run, "sent")))
            await asyncio.to_thread(waiting_pid, observer)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await asyncio.to_thread(holder.rollback)
            return len(await store.fetch_events(run))

    assert asyncio.run(main()) == 0


def test_who_gets_no_connection_in_time_is_told(stores: Stores, connect: Connect, run: str) -> None:
    holder, observer = connect(autocommit=False), connect()
    append(holder, event(run, "held"))
    with runstore.connect(stores.dsn, max_size=1, timeout=0.2) as store, ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(store.append_event, write(run, "sent"))
        waiting_pid(observer)
        with pytest.raises(psycopg_pool.PoolTimeout):
            store.fetch_events(run)
        holder.rollback()
        assert waiting.result().run_seq == 1


def test_a_call_takes_no_longer_than_it_may(stores: Stores, connect: Connect, run: str) -> None:
    holder = connect(autocommit=False)
    append(holder, event(run, "held"))
    store = stores.connect(statement_timeout=0.1)
    with pytest.raises(psycopg.errors.QueryCanceled):
        store.append_event(write(run, "sent"))
    holder.rollback()
    assert store.append_event(write(run, "sent")).run_seq == 1


@pytest.mark.parametrize(
    ("dsn_options", "environment", "settings", "shown"),
    [
        ("", "", {}, "30s"),
        ("", "", {"statement_timeout": 1.5}, "1500ms"),
        ("", "", {"statement_timeout": None}, "2min"),
        ("-c statement_timeout=7s", "", {"statement_timeout": 1}, "7s"),
        ("", "-c statement_timeout=8s", {}, "8s"),
    ],
)
def test_limits_are_set_on_the_stores_connections_unless_the_caller_did(
    stores: Stores,
    monkeypatch: pytest.MonkeyPatch,
    dsn_options: str,
    environment: str,
    settings: dict[str, float | None],
    shown: str,
) -> None:
    if environment:
        monkeypatch.setenv("PGOPTIONS", environment)
    dsn = make_conninfo(stores.dsn, options=dsn_options) if dsn_options else stores.dsn
    timeout = settings.get("statement_timeout", 30.0)
    parameters = _calls.connection_parameters(dsn, 30, timeout)
    with psycopg.connect(**parameters) as session:
        assert session.execute("show statement_timeout").fetchone() == (shown,)
    assert stores.connect(dsn, **settings).version() == runstore.__version__


def test_a_server_that_is_not_there_is_told_at_once(stores: Stores) -> None:
    with pytest.raises(psycopg.OperationalError) as caught:
        stores.connect("host=/nowhere dbname=x", timeout=600).version()
    assert not isinstance(caught.value, psycopg_pool.PoolTimeout)
    assert "/nowhere" in str(caught.value)


def test_a_connection_string_that_cannot_be_read_is_not_shown(stores: Stores) -> None:
    with pytest.raises(ValueError, match="connection string cannot be read") as caught:
        stores.connect("password=secret dbname")
    assert "secret" not in str(caught.value)


def test_nothing_is_opened_before_the_first_call(stores: Stores, connect: Connect, run: str) -> None:
    stores.connect(make_conninfo(stores.dsn, application_name=run))
    sessions = connect().execute("select count(*) from pg_stat_activity where application_name = %s", [run])
    assert sessions.fetchone() == (0,)


def test_a_database_without_the_store_is_named_so(server: Server, stores: Stores) -> None:
    with cloned(server, "template1") as name:
        for store in (stores.connect(server.dsn(name)), stores.borrow(dbname=name)[0]):
            with pytest.raises(errors.NotInstalled, match="this database has no runstore") as caught:
                store.get_snapshot("run")
            assert "runstore migrate" in str(caught.value.hint)
            assert isinstance(caught.value.__cause__, psycopg.Error)


@pytest.mark.parametrize(
    ("version", "hint"),
    [
        ("0.2.0", "Install the Python package of version 0.2.0"),
        ("0.0.9", "runstore migrate"),
        ("1.0.0", "of version 1.0.0"),
        ("dev", ""),
    ],
)
def test_a_schema_that_the_client_does_not_understand_is_refused(
    stores: Stores, connect: Connect, version: str, hint: str, run: str
) -> None:
    with _version(connect(), version):
        for store in (stores.connect(), stores.borrow(autocommit=True)[0]):
            with pytest.raises(errors.IncompatibleSchema) as caught:
                store.append_event(write(run))
            assert version in str(caught.value)
            assert runstore.__version__ in str(caught.value)
            assert hint in str(caught.value.hint)
    assert stores.connect().fetch_events(run) == []


def test_a_schema_of_another_patch_version_is_understood(stores: Stores, connect: Connect) -> None:
    with _version(connect(), "0.1.99"):
        assert stores.connect().version() == "0.1.99"


def test_a_refused_store_works_once_the_schema_is_mended(stores: Stores, connect: Connect) -> None:
    store = stores.connect()
    with _version(connect(), "9.9.9"), pytest.raises(errors.IncompatibleSchema):
        store.version()
    assert store.version() == runstore.__version__


@pytest.mark.parametrize(
    ("client", "schema", "understood"),
    [
        ("0.1.0", "0.1.7", True),
        ("0.1.7", "0.1.0", True),
        ("0.1.0", "0.2.0", False),
        ("0.2.0", "0.1.0", False),
        ("0.9.0", "1.0.0", False),
        ("1.0.0", "1.3.0", True),
        ("1.3.2", "1.3.0", True),
        ("1.3.0", "1.2.9", False),
        ("1.10.0", "1.9.0", False),
        ("1.0.0", "2.0.0", False),
        ("1.0.0", "1.0.0rc1", False),
        ("1.0.0", "", False),
    ],
)
def test_before_1_0_minor_versions_must_agree_and_later_the_schema_may_be_newer(
    monkeypatch: pytest.MonkeyPatch, client: str, schema: str, understood: bool
) -> None:
    monkeypatch.setattr(_calls, "__version__", client)
    if understood:
        _calls.check_version(schema)
    else:
        with pytest.raises(errors.IncompatibleSchema):
            _calls.check_version(schema)


@contextmanager
def _version(session: Connection, version: str) -> Iterator[None]:
    """Have the schema say that it is of this version."""
    statement = sql.SQL("create or replace function runstore.version() returns text language sql return {}")
    session.execute(statement.format(version))
    try:
        yield
    finally:
        session.execute(statement.format(runstore.__version__))
