"""append_many(): each event for itself, answers in input order, refusals with the event they are about."""

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from appends import together
from runstore import AppendResult, RunEventWrite, RunStore, errors
from runstore.embedded import Server
from stores import Stores, write
from support import Connect, cloned


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


def test_answers_come_in_input_order_and_runs_keep_theirs(store: RunStore, run: str) -> None:
    sent = [write(f"{run}{'zxay'[number % 4]}", f"s{number}") for number in range(450)]
    answers = store.append_many(iter(sent))
    assert [each.run_seq for each in answers] == [number // 4 + 1 for number in range(450)]
    assert all(each.persisted for each in answers)
    for place, name in enumerate("zxay"):
        stored = store.fetch_events(f"{run}{name}")
        assert [each.step_id for each in stored] == [f"s{number}" for number in range(place, 450, 4)]
        assert [each.event_id for each in stored] == [each.event_id for each in answers[place::4]]


def test_events_that_are_known_are_answered(store: RunStore, run: str) -> None:
    first = store.append_event(write(run, "a"))
    answers = store.append_many([write(run, "b"), write(run, "a"), write(run, "b").to_json()])
    assert [(each.run_seq, each.persisted) for each in answers] == [(2, True), (1, False), (2, False)]
    assert answers[1].event_id == first.event_id


@pytest.mark.parametrize("at", [0, 1, 4])
@pytest.mark.parametrize(
    "wrong",
    [{"plan_id": ""}, {"step_id": "\0"}, {"payload": {"n": float("nan")}}],
    ids=["refused", "unsendable", "unreadable"],
)
def test_a_refused_event_keeps_no_other_out(store: RunStore, run: str, at: int, wrong: dict[str, Any]) -> None:
    sent = [write(run, f"s{number}", **(wrong if number == at else {})) for number in range(5)]
    with pytest.raises(errors.AppendsRefused) as caught:
        store.append_many(sent)
    refusal = caught.value
    assert [isinstance(each, AppendResult) for each in refusal.outcomes] == [number != at for number in range(5)]
    assert list(refusal.refused) == [refusal.detail["index"]] == [at]
    assert isinstance(refusal.refused[at], errors.InvalidEvent | psycopg.DataError)
    assert refusal.hint
    assert refusal.__cause__ is refusal.refused[at]
    assert [each.step_id for each in store.fetch_events(run)] == [f"s{n}" for n in range(5) if n != at]


def test_every_refusal_has_its_own_error(store: RunStore, run: str) -> None:
    sent: list[RunEventWrite | dict[str, Any]] = [
        write(run, "a"),
        write(run, "b", tenant_id="other"),
        write(run, "c"),
        write(run, "d", logical_attempt_id=0),
        {"runId": run},
    ]
    with pytest.raises(errors.AppendsRefused, match="3 of 5 events were refused, the first at index 1") as caught:
        store.append_many(sent)
    kinds = {index: type(error) for index, error in caught.value.refused.items()}
    assert kinds == {1: errors.RunIdentityMismatch, 3: errors.InvalidEvent, 4: errors.InvalidEvent}
    assert [each.step_id for each in store.fetch_events(run)] == ["a", "c"]


def test_a_refusal_is_the_matter_of_its_own_pipeline(store: RunStore, run: str) -> None:
    sent = [write(run, f"s{number}", **({"plan_id": ""} if number == 300 else {})) for number in range(500)]
    with pytest.raises(errors.AppendsRefused) as caught:
        store.append_many(sent)
    assert list(caught.value.refused) == [300]
    results = [each for each in caught.value.outcomes if isinstance(each, AppendResult)]
    assert [each.run_seq for each in results] == list(range(1, 500))
    assert all(each.persisted for each in results)


def test_in_the_callers_transaction_the_first_refusal_is_raised_with_its_index(
    stores: Stores, store: RunStore, run: str
) -> None:
    inside, connection = stores.borrow()
    sent = [write(run, f"s{number}", **({"plan_id": ""} if number in (3, 5) else {})) for number in range(7)]
    with pytest.raises(errors.InvalidEvent) as caught:
        inside.append_many(sent)
    assert (caught.value.detail["index"], caught.value.detail["field"]) == (3, "planId")
    with pytest.raises(psycopg.errors.InFailedSqlTransaction):
        inside.append_many([write(run, "after")])
    connection.rollback()
    assert store.fetch_events(run) == []
    assert [each.run_seq for each in inside.append_many(sent[:3])] == [1, 2, 3]
    connection.commit()
    assert len(store.fetch_events(run)) == 3


def test_on_an_autocommitting_connection_a_refused_pipeline_leaves_nothing(
    stores: Stores, store: RunStore, run: str
) -> None:
    inside, _ = stores.borrow(autocommit=True)
    with pytest.raises(errors.InvalidEvent) as caught:
        inside.append_many([write(run, "a"), write(run, "b"), write(run, "")])
    assert caught.value.detail["index"] == 2
    assert store.fetch_events(run) == []
    assert inside.append_many([write(run, "c")])[0].run_seq == 1


@pytest.mark.parametrize("borrowed", [False, True], ids=["own", "borrowed"])
@pytest.mark.parametrize("before", [0, 2, 6])
def test_a_connection_is_as_good_as_before_after_a_refused_pipeline(
    stores: Stores, run: str, borrowed: bool, before: int
) -> None:
    """The driver prepares a statement when it has seen it a few times: here before, at or after the refusal."""
    used = stores.borrow(autocommit=True)[0] if borrowed else stores.connect(max_size=1, retries=0)
    for number in range(before):
        used.append_event(write(run, f"before{number}"))
    sent = [write(run, f"s{number}", **({"plan_id": ""} if number == 2 else {})) for number in range(9)]
    with pytest.raises(errors.RunStoreError):
        used.append_many(sent)
    again = used.append_many([*sent[:2], *sent[3:]])
    assert [each.run_seq for each in again] == list(range(before + 1, before + 9))
    assert used.append_event(write(run, "after")).run_seq == before + 9


def test_pipelines_that_name_the_same_runs_in_another_order_do_not_deadlock(
    dsn: str, connect: Connect, run: str
) -> None:
    """Without a retry a deadlock would be raised, and each pipeline holds hundreds of locks."""

    def work(client: int) -> list[AppendResult]:
        numbers = range(200) if client % 2 else range(199, -1, -1)
        sent: list[RunEventWrite] = [write(f"{run}-{number}", f"c{client}") for number in numbers]
        with Stores("sync", dsn) as made:
            return made.connect(retries=0).append_many(sent)

    answers = together(4, work)
    assert len(answers) == 800
    query = "select count(*), max(last_seq) from runstore.run_counters where run_id like %s"
    assert connect().execute(query, [f"{run}-%"]).fetchone() == (200, 4)
