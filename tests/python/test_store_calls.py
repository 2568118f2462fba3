"""Every method of both stores against a real server: what it sends arrives, and what it answers is what is stored."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest
import runstore
from psycopg.conninfo import make_conninfo
from psycopg.rows import dict_row
from runstore import AppendResult, RunEventRecord, RunStore, errors
from runstore.embedded import Server
from stores import EMITTED_AT, Stores, until, write
from support import Connect, cloned

UUIDS = [UUID(f"{number}1111111-1111-4111-8111-111111111111") for number in (1, 2, 3)]


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


def test_an_event_is_appended_once_however_often_it_is_sent(store: RunStore, run: str) -> None:
    first, again = store.append_event(write(run)), store.append_event(write(run))
    assert (first.run_seq, first.idempotent, first.persisted) == (1, False, True)
    assert again == replace(first, idempotent=True, persisted=False)
    assert isinstance(first, AppendResult)
    assert isinstance(first.event_id, UUID)
    assert first.persisted_at.tzinfo is timezone.utc
    assert len(store.fetch_events(run)) == 1


def test_an_event_is_appended_from_keyword_arguments(store: RunStore, run: str) -> None:
    answer = store.append_event(
        run_id=run,
        event_type="StepStarted",
        emitted_at=EMITTED_AT,
        tenant_id="tenant",
        project_id="project",
        environment_id="environment",
        plan_id="plan",
        plan_version="1",
        step_id="load",
        payload={"rows": 3},
    )
    (stored,) = store.fetch_events(run)
    assert (stored.event_id, stored.step_id, stored.payload) == (answer.event_id, "load", {"rows": 3})


def test_an_event_is_appended_from_its_json_form(store: RunStore, run: str) -> None:
    store.append_event(write(run, "a", payload={"n": 1}).to_json())
    assert [(each.step_id, each.payload) for each in store.fetch_events(run)] == [("a", {"n": 1})]


@pytest.mark.parametrize("form", ["single", "json", "batch", "many"])
def test_every_field_arrives_and_comes_back(store: RunStore, run: str, form: str) -> None:
    sent = write(
        run,
        "load",
        engine_attempt_id=2,
        logical_attempt_id=40_000,
        idempotency_key="AB" * 32,
        event_id=UUIDS[0],
        payload={"text": "é ' \\ \" \n", "numbers": [1, -2.5, 10**15], "none": None, "deep": {"yes": True}},
        adapter_version="7",
        engine_run_ref={"workflow": "w"},
        caused_by_signal_id=UUIDS[1],
        parent_event_id=UUIDS[2],
    )
    if form == "single":
        answers = [store.append_event(sent)]
    elif form == "json":
        answers = [store.append_event(sent.to_json())]
    else:
        answers = store.append_events([sent]) if form == "batch" else store.append_many([sent])
    (stored,) = store.fetch_events(run)
    given: dict[str, Any] = {name: getattr(sent, name) for name in sent.__dataclass_fields__}
    assert stored == RunEventRecord(
        **{**given, "idempotency_key": "ab" * 32}, run_seq=1, persisted_at=answers[0].persisted_at
    )


def test_times_are_in_utc_whatever_zone_the_session_has(dsn: str, stores: Stores, run: str) -> None:
    far = make_conninfo(dsn, options="-c timezone=Asia/Kathmandu")
    for store in (stores.connect(far), stores.borrow(autocommit=True, options="-c timezone=Asia/Kathmandu")[0]):
        answer = store.append_event(write(run, emitted_at=EMITTED_AT.astimezone(timezone(timedelta(hours=-7)))))
        (stored,) = store.fetch_events(run)
        assert stored.emitted_at == EMITTED_AT
        assert {each.tzinfo for each in (answer.persisted_at, stored.emitted_at, stored.persisted_at)} == {timezone.utc}


@pytest.mark.parametrize("year", [1, 9999])
def test_the_first_and_the_last_year_come_back(store: RunStore, run: str, year: int) -> None:
    instant = datetime(year, 1 if year == 1 else 12, 1 if year == 1 else 31, 0, 30, tzinfo=timezone.utc)
    store.append_event(write(run, "a", emitted_at=instant))
    store.append_events([write(run, "b", emitted_at=instant)])
    assert [each.emitted_at for each in store.fetch_events(run)] == [instant, instant]


def test_a_batch_answers_in_input_order(store: RunStore, run: str) -> None:
    sent = [write(f"{run}{other}", step) for step in "ab" for other in "zay"]
    answers = store.append_events(iter([*sent, sent[0]]))
    assert [(each.run_seq, each.persisted) for each in answers] == [(1, True)] * 3 + [(2, True)] * 3 + [(1, False)]
    assert answers[-1].event_id == answers[0].event_id


def test_a_batch_is_stored_whole_or_not_at_all(store: RunStore, run: str) -> None:
    with pytest.raises(errors.InvalidEvent) as caught:
        store.append_events([write(run, "a"), write(run, ""), write(run, "c").to_json()])
    assert caught.value.detail["index"] == 1
    assert store.fetch_events(run) == []


def test_an_empty_batch_has_no_answers(store: RunStore) -> None:
    assert store.append_events([]) == []
    assert store.append_many([]) == []


def test_events_are_read_from_a_watermark_as_far_as_asked(store: RunStore, run: str) -> None:
    store.append_events([write(run, step) for step in "abcd"])
    assert [each.step_id for each in store.fetch_events(run)] == list("abcd")
    assert [each.run_seq for each in store.fetch_events(run, 1, 2)] == [2, 3]
    assert [each.run_seq for each in store.fetch_events(run, after_seq=3, limit=2)] == [4]
    assert store.fetch_events(run, 4) == []


def test_a_snapshot_is_there_when_it_has_been_projected(store: RunStore, run: str) -> None:
    store.append_events([write(run), write(run, "load")])
    assert store.get_snapshot(run) is None
    made = store.project_snapshot(run)
    assert (made["status"], made["lastEventSeq"], made["steps"][0]["status"]) == ("RUNNING", 2, "SUCCESS")
    assert store.get_snapshot(run) == made


def test_a_replay_shows_the_run_as_it_was(store: RunStore, run: str) -> None:
    store.append_events([write(run), write(run, "load")])
    assert (store.replay_snapshot(run)["lastEventSeq"], store.replay_snapshot(run, up_to_seq=1)["steps"]) == (2, [])
    assert store.get_snapshot(run) is None


def test_runs_are_listed_through_all_pages(store: RunStore, run: str) -> None:
    tenant = f"tenant-{run}"
    for number in range(5):
        store.append_event(write(f"{run}-{number}", tenant_id=tenant))
        store.project_snapshot(f"{run}-{number}")
    store.append_event(write(f"{run}-0", event_type="RunCompleted", tenant_id=tenant))
    store.project_snapshot(f"{run}-0")
    everyone = list(store.list_runs(tenant, limit=2))
    assert [each.run_id for each in everyone] == [f"{run}-{number}" for number in (4, 3, 2, 1, 0)]
    assert [each.status for each in everyone] == ["RUNNING"] * 4 + ["COMPLETED"]
    assert {each.begun_at.tzinfo for each in everyone} == {timezone.utc}
    assert [each.run_id for each in store.list_runs(tenant, "COMPLETED")] == [f"{run}-0"]
    assert list(store.list_runs(tenant_id=tenant, limit=5)) == everyone
    assert list(store.list_runs(tenant, cursor=everyone[2].cursor)) == everyone[3:]
    assert list(store.list_runs("nobody")) == []


def test_the_key_is_the_one_that_the_store_computes(store: RunStore, run: str) -> None:
    store.append_events([write(run), write(run, "load", logical_attempt_id=2)])
    keys = [
        store.idempotency_key(run, None, 1, "RunStarted", "plan", "1"),
        store.idempotency_key(run, "load", 2, "StepCompleted", "plan", "1"),
    ]
    assert [each.idempotency_key for each in store.fetch_events(run)] == keys


def test_the_version_is_that_of_the_package(store: RunStore) -> None:
    assert store.version() == runstore.__version__


def test_an_event_and_keyword_arguments_do_not_go_together(store: RunStore, run: str) -> None:
    with pytest.raises(TypeError, match="not both"):
        store.append_event(write(run), step_id="a")  # type: ignore[call-overload]  # what is tested


def test_an_unknown_keyword_is_refused_by_its_name(store: RunStore, run: str) -> None:
    with pytest.raises(TypeError, match="run_sequence"):
        store.append_event(run_id=run, run_sequence=1)  # type: ignore[call-overload]  # what is tested


@pytest.mark.parametrize("form", ["single", "batch", "many"])
def test_what_is_no_json_fails_before_anything_is_sent(store: RunStore, run: str, form: str) -> None:
    sent = [write(run, "a"), write(run, "b", payload={"when": EMITTED_AT})]
    with pytest.raises(TypeError, match="datetime cannot be written as JSON"):
        if form == "single":
            store.append_event(sent[1])
        elif form == "batch":
            store.append_events(sent)
        else:
            store.append_many(sent)
    assert store.fetch_events(run) == []


def test_appends_live_and_die_with_the_callers_transaction(stores: Stores, store: RunStore, run: str) -> None:
    inside, connection = stores.borrow()
    inside.append_event(write(run, "a"))
    assert [each.step_id for each in inside.fetch_events(run)] == ["a"]
    assert store.fetch_events(run) == []
    connection.rollback()
    assert store.fetch_events(run) == []
    inside.append_event(write(run, "b"))
    inside.append_events([write(run, "c")])
    inside.append_many([write(run, "d")])
    assert store.fetch_events(run) == []
    connection.commit()
    assert [(each.run_seq, each.step_id) for each in store.fetch_events(run)] == [(1, "b"), (2, "c"), (3, "d")]


def test_a_borrowed_connection_stays_open(stores: Stores, run: str) -> None:
    inside, connection = stores.borrow()
    inside.append_event(write(run))
    inside.close()
    assert not connection.closed
    assert connection.info.transaction_status == psycopg.pq.TransactionStatus.INTRANS


@pytest.mark.parametrize("factory", [psycopg.ClientCursor, psycopg.RawCursor])
def test_a_borrowed_connection_may_have_rows_and_cursors_of_its_own_kind(
    connect: Connect, run: str, factory: Any
) -> None:
    connection = connect()
    connection.row_factory = dict_row  # type: ignore[assignment]  # what is tested
    connection.cursor_factory = factory
    inside = RunStore.on(connection)
    assert inside.append_event(write(run)).run_seq == 1
    assert [each.run_seq for each in inside.append_many([write(run, "a"), write(run, "b")])] == [2, 3]
    assert len(inside.fetch_events(run)) == 3


def test_a_store_closes_its_connections(stores: Stores, connect: Connect, dsn: str) -> None:
    named = make_conninfo(dsn, application_name=f"closing-{stores.kind}")
    store = stores.connect(named, min_size=2)
    store.version()
    store.close()
    query = "select count(*) from pg_stat_activity where application_name = %s"
    observer = connect()
    until(lambda: observer.execute(query, [f"closing-{stores.kind}"]).fetchone() == (0,))
    with pytest.raises(psycopg.OperationalError):
        store.version()
