"""SnowflakeRunStore against the shipped procedures on the bench: what it sends arrives, what it answers is stored.

Where a test needs a fault that the bench cannot have (a lost connection, a lock that is not got), the connection breaks
on purpose: see Breaking.
"""

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from typing import Any
from uuid import UUID, uuid4

import pytest
import runstore
import snowflake.connector
from runstore import AppendResult, RunEventRecord, RunEventWrite, RunSummary, SnowflakeRunStore, errors
from runstore import snowflake as client
from shipped import SOURCES
from snowflake.connector.errors import DatabaseError, Error, InterfaceError, OperationalError, ProgrammingError
from stores import EMITTED_AT, write

from bench import Bench

UUIDS = [UUID(f"{number}1111111-1111-4111-8111-111111111111") for number in (1, 2, 3)]
ACCOUNT: dict[str, Any] = {"account": "an-account", "user": "somebody", "password": "secret", "database": "ENGINE"}

Connect = Callable[..., SnowflakeRunStore]


class Breaking:
    """A connection that does what it is told to just before or after a statement; all else is the bench's.

    It stands for what the bench cannot have: a network that fails, a lock that others hold for too long.
    """

    def __init__(self, connection: Any, plan: "Plan") -> None:
        self._connection = connection
        self._plan = plan
        self.closed = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    def is_closed(self) -> bool:
        """As the connector has it."""
        return self.closed

    def close(self, retry: bool = True) -> None:
        """As the connector has it."""
        self.closed = True
        self._connection.close()

    def cursor(self) -> "BreakingCursor":
        """As the connector has it."""
        return BreakingCursor(self._connection.cursor(), self._plan)


class BreakingCursor:
    """The cursor of such a connection."""

    def __init__(self, cursor: Any, plan: "Plan") -> None:
        self._cursor = cursor
        self._plan = plan

    def __enter__(self) -> "BreakingCursor":
        return self

    def __exit__(self, *error: object) -> None:
        self._cursor.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cursor, name)

    def execute(self, statement: str, parameters: Any = None) -> None:
        """Run the statement, and what is planned for it."""
        self._plan.tell("before", statement)
        self._cursor.execute(statement, parameters)
        self._plan.tell("after", statement)


class Plan:
    """What is to happen, in this order, each thing once; and how the store fared."""

    def __init__(self) -> None:
        self._steps: list[tuple[str, str, Callable[[], None]]] = []
        self.connections: list[Breaking] = []
        self.opened_with: list[dict[str, Any]] = []
        self.statements: list[str] = []

    def at(self, when: str, words: str, event: Exception | Callable[[], None]) -> None:
        """Have this happen before or after the next statement with these words: an error is raised."""

        def fail() -> None:
            assert isinstance(event, Exception)
            raise event

        self._steps.append((when, words, fail if isinstance(event, Exception) else event))

    def tell(self, when: str, statement: str) -> None:
        """Let happen what is next, if it is time for it."""
        if when == "before":
            self.statements.append(statement)
        if self._steps and self._steps[0][0] == when and self._steps[0][1] in statement:
            self._steps.pop(0)[2]()

    def calls(self, words: str) -> int:
        """Return how many statements with these words were sent."""
        return sum(words in statement for statement in self.statements)


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    """One store for all tests: each has runs of its own."""
    yield Bench.deployed()


@pytest.fixture
def plan(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Plan:
    """Have the connector open connections to the bench, which break as planned."""
    made = Plan()

    def connect(**parameters: Any) -> Breaking:
        made.opened_with.append(parameters)
        made.connections.append(Breaking(bench.connection(), made))
        return made.connections[-1]

    monkeypatch.setattr(snowflake.connector, "connect", connect)
    return made


@pytest.fixture
def connect(plan: Plan) -> Iterator[Connect]:
    """A factory of stores with connections of their own, which are closed after the test."""
    made: list[SnowflakeRunStore] = []

    def open_store(**settings: Any) -> SnowflakeRunStore:
        made.append(client.connect(**{**ACCOUNT, **settings}))
        return made[-1]

    yield open_store
    for store in made:
        store.close()


@pytest.fixture
def store(connect: Connect) -> SnowflakeRunStore:
    """A store with connections of its own."""
    return connect()


@pytest.fixture
def run() -> str:
    """A run that no other test has."""
    return f"run-{uuid4()}"


def test_an_event_is_appended_once_however_often_it_is_sent(store: SnowflakeRunStore, run: str) -> None:
    first, again = store.append_event(write(run)), store.append_event(write(run))
    assert (first.run_seq, first.idempotent, first.persisted) == (1, False, True)
    assert again == replace(first, idempotent=True, persisted=False)
    assert isinstance(first, AppendResult)
    assert isinstance(first.event_id, UUID)
    assert first.persisted_at.tzinfo is timezone.utc
    assert len(store.fetch_events(run)) == 1


def test_an_event_is_appended_from_keyword_arguments(store: SnowflakeRunStore, run: str) -> None:
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
    assert (stored.engine_attempt_id, stored.logical_attempt_id) == (1, 1)
    assert (stored.adapter_version, stored.engine_run_ref, stored.caused_by_signal_id) == (None, None, None)


@pytest.mark.parametrize("form", ["single", "json", "batch", "many"])
def test_every_field_arrives_and_comes_back(store: SnowflakeRunStore, run: str, form: str) -> None:
    sent = write(
        run,
        'load\'s "first" \\ step; -- $$ ?',
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
    answers = _send(store, sent, form)
    (stored,) = store.fetch_events(run)
    given: dict[str, Any] = {name: getattr(sent, name) for name in sent.__dataclass_fields__}
    assert stored == RunEventRecord(
        **{**given, "idempotency_key": "ab" * 32}, run_seq=1, persisted_at=answers[0].persisted_at
    )
    assert isinstance(stored.run_seq, int)


@pytest.mark.parametrize("form", ["single", "batch"])
@pytest.mark.parametrize(
    "zone", [timezone(timedelta(hours=-7)), timezone(timedelta(hours=5, minutes=45)), timezone(timedelta(seconds=3208))]
)
def test_a_time_is_the_producers_instant_whatever_its_zone(
    store: SnowflakeRunStore, run: str, zone: timezone, form: str
) -> None:
    (answer,) = _send(store, write(run, "a", emitted_at=EMITTED_AT.astimezone(zone)), form)
    (stored,) = store.fetch_events(run)
    assert stored.emitted_at == EMITTED_AT
    assert stored.persisted_at == answer.persisted_at
    assert {each.tzinfo for each in (answer.persisted_at, stored.emitted_at, stored.persisted_at)} == {timezone.utc}


@pytest.mark.parametrize("year", [1, 9999])
def test_the_first_and_the_last_year_come_back(store: SnowflakeRunStore, run: str, year: int) -> None:
    instant = datetime(year, 1 if year == 1 else 12, 1 if year == 1 else 31, 0, 30, tzinfo=timezone.utc)
    store.append_event(write(run, "a", emitted_at=instant))
    store.append_events([write(run, "b", emitted_at=instant)])
    assert [each.emitted_at for each in store.fetch_events(run)] == [instant, instant]


def test_a_batch_answers_in_input_order(store: SnowflakeRunStore, run: str) -> None:
    sent = [write(f"{run}{other}", step) for step in "ab" for other in "zay"]
    answers = store.append_events(iter([*sent, sent[0]]))
    assert [(each.run_seq, each.persisted) for each in answers] == [(1, True)] * 3 + [(2, True)] * 3 + [(1, False)]
    assert answers[-1].event_id == answers[0].event_id


def test_a_batch_is_stored_whole_or_not_at_all(store: SnowflakeRunStore, run: str) -> None:
    with pytest.raises(errors.InvalidEvent) as caught:
        store.append_events([write(run, "a"), write(run, ""), write(run, "c").to_json()])
    assert caught.value.detail["index"] == 1
    assert store.fetch_events(run) == []


def test_an_empty_batch_has_no_answers(store: SnowflakeRunStore) -> None:
    assert store.append_events([]) == []
    assert store.append_many([]) == []


def test_events_are_read_from_a_watermark_as_far_as_asked(store: SnowflakeRunStore, run: str) -> None:
    store.append_events([write(run, step) for step in "abcd"])
    assert [each.step_id for each in store.fetch_events(run)] == list("abcd")
    assert [each.run_seq for each in store.fetch_events(run, 1, 2)] == [2, 3]
    assert [each.run_seq for each in store.fetch_events(run, after_seq=3, limit=2)] == [4]
    assert store.fetch_events(run, 4) == []


def test_following_yields_each_event_once_and_ends_when_it_is_told(store: SnowflakeRunStore, run: str) -> None:
    store.append_events([write(run, f"s{number}") for number in range(7)])
    assert [each.run_seq for each in store.follow(run, timeout=0, limit=3)] == [1, 2, 3, 4, 5, 6, 7]
    assert list(store.follow(run, 7, timeout=0)) == []
    stop = threading.Event()
    events = store.follow(run, 6, poll=0.001, stop=stop)
    assert next(events).step_id == "s6"
    store.append_event(write(run, "late"))
    assert next(events).step_id == "late"
    stop.set()
    assert list(events) == []


def test_following_stops_at_a_gap(store: SnowflakeRunStore, bench: Bench, run: str) -> None:
    store.append_events([write(run, step) for step in "abc"])
    bench.connection().cursor().execute("DELETE FROM RUN_EVENTS WHERE RUN_ID = ? AND RUN_SEQ = 2", [run])
    events = store.follow(run, timeout=0)
    assert next(events).run_seq == 1
    with pytest.raises(errors.GapDetected) as caught:
        next(events)
    assert caught.value.detail == {"runId": run, "expected": 2, "found": 3}


def test_a_snapshot_is_there_when_it_has_been_projected(store: SnowflakeRunStore, run: str) -> None:
    store.append_events([write(run), write(run, "load")])
    assert store.get_snapshot(run) is None
    made = store.project_snapshot(run)
    assert (made["status"], made["lastEventSeq"], made["steps"][0]["status"]) == ("RUNNING", 2, "SUCCESS")
    assert store.get_snapshot(run) == made


def test_a_replay_shows_the_run_as_it_was(store: SnowflakeRunStore, run: str) -> None:
    store.append_events([write(run), write(run, "load")])
    assert (store.replay_snapshot(run)["lastEventSeq"], store.replay_snapshot(run, up_to_seq=1)["steps"]) == (2, [])
    assert store.get_snapshot(run) is None


def test_runs_are_listed_through_all_pages(store: SnowflakeRunStore, run: str) -> None:
    tenant = f"tenant-{run}"
    for number in range(5):
        store.append_event(write(f"{run}-{number}", tenant_id=tenant))
        store.project_snapshot(f"{run}-{number}")
    store.append_event(write(f"{run}-0", event_type="RunCompleted", tenant_id=tenant))
    store.project_snapshot(f"{run}-0")
    everyone = list(store.list_runs(tenant, limit=2))
    assert [each.run_id for each in everyone] == [f"{run}-{number}" for number in (4, 3, 2, 1, 0)]
    assert [each.status for each in everyone] == ["RUNNING"] * 4 + ["COMPLETED"]
    assert {type(each) for each in everyone} == {RunSummary}
    assert {each.begun_at.tzinfo for each in everyone} == {timezone.utc}
    assert [each.run_id for each in store.list_runs(tenant, "COMPLETED")] == [f"{run}-0"]
    assert list(store.list_runs(tenant_id=tenant, limit=5)) == everyone
    assert list(store.list_runs(tenant, cursor=everyone[2].cursor)) == everyone[3:]
    assert list(store.list_runs("nobody")) == []


def test_the_key_is_the_one_that_the_store_computes(store: SnowflakeRunStore, run: str) -> None:
    store.append_events([write(run), write(run, "load", logical_attempt_id=2)])
    keys = [
        store.idempotency_key(run, None, 1, "RunStarted", "plan", "1"),
        store.idempotency_key(run, "load", 2, "StepCompleted", "plan", "1"),
    ]
    assert [each.idempotency_key for each in store.fetch_events(run)] == keys


def test_the_version_is_that_of_the_package(store: SnowflakeRunStore) -> None:
    assert store.version() == runstore.__version__


def test_an_event_and_keyword_arguments_do_not_go_together(store: SnowflakeRunStore, run: str) -> None:
    with pytest.raises(TypeError, match="not both"):
        store.append_event(write(run), step_id="a")  # type: ignore[call-overload]  # what is tested


@pytest.mark.parametrize("form", ["single", "json", "batch", "many"])
@pytest.mark.parametrize(
    ("value", "error", "words"),
    [
        (EMITTED_AT, TypeError, "datetime cannot be written as JSON"),
        (float("nan"), ValueError, "JSON compliant"),
        (float("inf"), ValueError, "JSON compliant"),
    ],
)
def test_what_is_no_json_fails_before_anything_is_sent(
    store: SnowflakeRunStore, plan: Plan, run: str, value: Any, error: type[Exception], words: str, form: str
) -> None:
    with pytest.raises(error, match=words):
        _send(store, write(run, "b", payload={"value": value}), form)
    assert plan.statements == []


def test_nothing_but_a_call_with_bound_parameters_is_ever_sent(store: SnowflakeRunStore, plan: Plan, run: str) -> None:
    hostile = f"{run}'); DROP TABLE RUN_EVENTS; --"
    for form in ("single", "json", "batch"):
        _send(store, write(hostile, form), form)
    store.project_snapshot(hostile)
    assert [each.run_id for each in store.fetch_events(hostile)] == [hostile] * 3
    assert not any(run in statement for statement in plan.statements)
    assert {statement.split("(")[0] for statement in plan.statements} == {
        "SELECT VERSION", "CALL APPEND_EVENT", "CALL APPEND_EVENTS", "CALL PROJECT_SNAPSHOT", "CALL FETCH_EVENTS"
    }  # fmt: skip


def test_a_column_that_a_newer_schema_adds_changes_nothing() -> None:
    row = {
        "ADDED": 1,
        "PERSISTED": True,
        "IDEMPOTENT": False,
        "PERSISTED_AT": EMITTED_AT.replace(tzinfo=None),
        "RUN_SEQ": 7,
        "EVENT_ID": str(UUIDS[0]),
    }
    assert client._append_json("{}").read([row]) == AppendResult(UUIDS[0], 7, EMITTED_AT, False, True)


def _send(store: SnowflakeRunStore, event: RunEventWrite, form: str) -> list[AppendResult]:
    if form == "single":
        return [store.append_event(event)]
    if form == "json":
        return [store.append_event(event.to_json())]
    return store.append_events([event]) if form == "batch" else store.append_many([event])


# Many events


def test_many_answers_come_in_input_order_and_runs_keep_theirs(store: SnowflakeRunStore, plan: Plan, run: str) -> None:
    sent = [write(f"{run}{'zxay'[number % 4]}", f"s{number}") for number in range(400)]
    answers = store.append_many(iter(sent))
    assert [each.run_seq for each in answers] == [number // 4 + 1 for number in range(400)]
    assert plan.calls("APPEND_EVENTS") == 2
    for place, name in enumerate("zxay"):
        stored = store.fetch_events(f"{run}{name}")
        assert [each.step_id for each in stored] == [f"s{number}" for number in range(place, 400, 4)]
        assert [each.event_id for each in stored] == [each.event_id for each in answers[place::4]]


def test_many_events_that_are_known_are_answered(store: SnowflakeRunStore, run: str) -> None:
    first = store.append_event(write(run, "a"))
    answers = store.append_many([write(run, "b"), write(run, "a"), write(run, "b").to_json()])
    assert [(each.run_seq, each.persisted) for each in answers] == [(2, True), (1, False), (2, False)]
    assert answers[1].event_id == first.event_id


def test_long_events_are_sent_in_batches_that_fit_into_one_value(
    store: SnowflakeRunStore, plan: Plan, run: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "BATCH_CHARACTERS", 3000)
    lengths = [10, 1000, 1000, 5000, 10, 10]
    answers = store.append_many([write(run, f"s{n}", payload={"x": "y" * many}) for n, many in enumerate(lengths)])
    assert [each.run_seq for each in answers] == [1, 2, 3, 4, 5, 6]
    assert plan.calls("APPEND_EVENTS") == 3


@pytest.mark.parametrize("at", [0, 1, 4])
def test_a_refused_event_keeps_no_other_out(store: SnowflakeRunStore, plan: Plan, run: str, at: int) -> None:
    sent = [write(run, f"s{number}", **({"plan_id": ""} if number == at else {})) for number in range(5)]
    with pytest.raises(errors.AppendsRefused) as caught:
        store.append_many(sent)
    refusal = caught.value
    assert [isinstance(each, AppendResult) for each in refusal.outcomes] == [number != at for number in range(5)]
    assert list(refusal.refused) == [refusal.detail["index"]] == [at]
    reason = refusal.refused[at]
    assert isinstance(reason, errors.InvalidEvent)
    assert "index" not in reason.detail
    assert refusal.hint
    assert refusal.__cause__ is refusal.refused[at]
    assert [each.step_id for each in store.fetch_events(run)] == [f"s{n}" for n in range(5) if n != at]
    assert plan.calls("CALL APPEND_EVENT(") == 1


def test_every_refusal_has_its_own_error(store: SnowflakeRunStore, run: str) -> None:
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


def test_a_refusal_is_the_matter_of_its_own_batch(store: SnowflakeRunStore, plan: Plan, run: str) -> None:
    sent = [write(run, f"s{number}", **({"plan_id": ""} if number == 300 else {})) for number in range(500)]
    with pytest.raises(errors.AppendsRefused) as caught:
        store.append_many(sent)
    assert list(caught.value.refused) == [300]
    results = [each for each in caught.value.outcomes if isinstance(each, AppendResult)]
    assert [each.run_seq for each in results] == list(range(1, 500))
    assert all(each.persisted for each in results)
    assert (plan.calls("CALL APPEND_EVENTS("), plan.calls("CALL APPEND_EVENT(")) == (5, 1)


def test_text_that_snowflake_cannot_read_is_looked_for_event_by_event(
    store: SnowflakeRunStore, plan: Plan, run: str
) -> None:
    unreadable = ProgrammingError("Error parsing JSON: …", errno=100069, sqlstate="22P02")
    plan.at("before", "CALL APPEND_EVENTS(", unreadable)
    plan.at("after", "CALL APPEND_EVENT(", lambda: plan.at("before", "CALL APPEND_EVENT(", unreadable))
    with pytest.raises(errors.AppendsRefused) as caught:
        store.append_many([write(run, step) for step in "abc"])
    assert caught.value.refused == {1: unreadable}
    assert [each.step_id for each in store.fetch_events(run)] == ["a", "c"]


@pytest.mark.parametrize(
    "error",
    [
        ProgrammingError("No active warehouse", errno=606, sqlstate="57P03"),
        ProgrammingError("A primary key already exists.", errno=200001, sqlstate="22000"),
    ],
    ids=["warehouse", "race"],
)
def test_what_is_no_refusal_ends_the_whole(connect: Connect, plan: Plan, run: str, error: ProgrammingError) -> None:
    plan.at("before", "CALL APPEND_EVENTS(", error)
    with pytest.raises(ProgrammingError) as caught:
        connect(retries=0).append_many([write(run, step) for step in "abc"])
    assert caught.value is error
    assert plan.calls("APPEND_EVENT") == 1


# Errors


def _refused(caught: Any, kind: type[errors.RunStoreError], **detail: Any) -> None:
    """The error is of this class, and says all that one of PostgreSQL has to say."""
    error = caught.value
    assert type(error) is kind
    assert error.sqlstate == kind.sqlstate
    assert {"code": kind.sqlstate, **detail}.items() <= error.detail.items()
    assert not error.detail.keys() & {"name", "message", "hint"}
    assert error.hint
    assert str(error)
    assert not str(error).startswith("{")
    assert isinstance(error.__cause__, ProgrammingError)


@pytest.mark.parametrize("form", ["single", "json", "batch"])
@pytest.mark.parametrize(
    ("fields", "kind", "detail"),
    [
        ({"plan_id": ""}, errors.InvalidEvent, {"field": "planId", "value": ""}),
        ({"logical_attempt_id": 0}, errors.InvalidEvent, {"field": "logicalAttemptId", "value": "0"}),
        ({"plan_id": "a'b\"c\\|é\n{}"}, errors.InvalidEvent, {"field": "planId", "value": "a'b\"c\\|é\n{}"}),
        ({"tenant_id": "other"}, errors.RunIdentityMismatch, {}),
        ({"event_id": UUIDS[0]}, errors.EventIdReused, {"field": "eventId", "value": str(UUIDS[0])}),
        ({"payload": {"big": "x" * 300_000}}, errors.PayloadTooLarge, {"field": "payload"}),
    ],
    ids=["empty", "attempt", "hostile", "identity", "event_id", "payload"],
)
def test_a_wrong_event_is_refused(
    store: SnowflakeRunStore,
    run: str,
    fields: dict[str, Any],
    kind: type[errors.RunStoreError],
    detail: dict[str, Any],
    form: str,
) -> None:
    store.append_event(write(run, "a", event_id=UUIDS[0]))
    with pytest.raises(errors.RunStoreError) as caught:
        _send(store, write(run, "b", **fields), form)
    _refused(caught, kind, **detail, **({"index": 0} if form == "batch" else {}))
    assert ("index" in caught.value.detail) is (form == "batch")
    assert len(store.fetch_events(run)) == 1


def test_a_field_that_json_does_not_have_is_refused_by_its_name(store: SnowflakeRunStore, run: str) -> None:
    with pytest.raises(errors.InvalidEvent) as caught:
        store.append_event({**write(run).to_json(), "runSeq": 7})
    _refused(caught, errors.InvalidEvent, field="runSeq")


def test_too_many_signals_are_told_when_to_come_again(store: SnowflakeRunStore, run: str) -> None:
    signals = [write(run, f"s{number}", event_type="SignalAccepted") for number in range(61)]
    store.append_events(signals[:60])
    with pytest.raises(errors.SignalRateExceeded) as caught:
        store.append_event(signals[60])
    _refused(caught, errors.SignalRateExceeded)
    assert 0 < caught.value.detail["retryAfterMs"] <= 60_000


@pytest.mark.parametrize(
    ("method", "arguments", "detail"),
    [
        ("fetch_events", ["run", -1], {"value": "-1"}),
        ("fetch_events", ["run", 0, 0], {"field": "limit", "value": "0"}),
        ("replay_snapshot", [None, 0], {"value": "0"}),
    ],
)
def test_a_wrong_argument_is_refused(
    store: SnowflakeRunStore, run: str, method: str, arguments: list[Any], detail: dict[str, Any]
) -> None:
    store.append_event(write(run))
    given = [run if each is None else each for each in arguments]
    with pytest.raises(errors.RunStoreError) as caught:
        getattr(store, method)(*given)
    _refused(caught, errors.InvalidArgument, **detail)


def test_a_status_that_is_none_is_refused_when_the_list_is_read(store: SnowflakeRunStore) -> None:
    runs = store.list_runs(status="ASLEEP")
    with pytest.raises(errors.RunStoreError) as caught:
        next(runs)
    _refused(caught, errors.InvalidArgument, field="status", value="ASLEEP")


@pytest.mark.parametrize("method", ["project_snapshot", "replay_snapshot"])
def test_an_unknown_run_is_not_found(store: SnowflakeRunStore, run: str, method: str) -> None:
    with pytest.raises(errors.RunStoreError) as caught:
        getattr(store, method)(run)
    _refused(caught, errors.RunNotFound)


def test_a_login_that_is_bound_to_other_tenants_is_refused(store: SnowflakeRunStore, bench: Bench, run: str) -> None:
    session = bench.connection()
    with session.cursor() as cursor:
        cursor.execute("SELECT CURRENT_USER()")
        login = cursor.fetchall()[0][0]
        cursor.execute("CALL BIND_LOGIN(?, ?)", [login, "theirs"])
        try:
            assert store.append_event(write(run, tenant_id="theirs")).persisted
            for refused in (lambda: store.append_event(write(f"{run}2")), lambda: list(store.list_runs("tenant"))):
                with pytest.raises(errors.RunStoreError) as caught:
                    refused()
                _refused(caught, errors.TenantForbidden)
        finally:
            cursor.execute("CALL UNBIND_LOGIN(?, ?)", [login, "theirs"])


def test_an_archived_run_takes_no_more_events(store: SnowflakeRunStore, bench: Bench, run: str) -> None:
    store.append_events([write(run), write(run, event_type="RunCompleted")])
    bench.connection().cursor().execute("UPDATE RUN_COUNTERS SET ARCHIVED_AT = CLOCK() WHERE RUN_ID = ?", [run])
    with pytest.raises(errors.RunStoreError) as caught:
        store.append_event(write(run, "late"))
    _refused(caught, errors.RunArchived)


REFUSED = '{"code":"RS001","expected":"x","field":"planId","hint":"Do.","message":"INVALID_EVENT: no","name":"n"}'


@pytest.mark.parametrize(
    "text",
    [
        REFUSED,
        f"Uncaught exception of type 'REFUSED' on line 1 at position 60 : {REFUSED}",
        f"Uncaught exception of type 'STATEMENT_ERROR' on line 4 at position 8 : Uncaught exception of type 'REFUSED' "
        f"on line 1 at position 60 : {REFUSED}\nand what an account may say after it",
        REFUSED.replace("no", "no\nline"),
    ],
    ids=["bare", "raised", "nested", "line-break"],
)
def test_a_refusal_is_found_in_whatever_stands_around_it(text: str) -> None:
    found = errors.from_snowflake(ProgrammingError(text, errno=-20001, sqlstate="P0001"))
    assert type(found) is errors.InvalidEvent
    assert str(found).startswith("INVALID_EVENT: no")
    assert (found.sqlstate, found.hint) == ("RS001", "Do.")
    assert found.detail == {"code": "RS001", "expected": "x", "field": "planId"}


def test_a_refusal_of_a_newer_store_is_still_one_of_the_stores() -> None:
    found = errors.from_snowflake(ProgrammingError('x : {"code":"RS099","message":"NEW: is new"}'))
    assert type(found) is errors.RunStoreError
    assert (str(found), found.sqlstate, found.detail, found.hint) == ("NEW: is new", "RS099", {"code": "RS099"}, None)


@pytest.mark.parametrize("text", ["SQL compilation error", '{"code":"22P02"}', '{"code":"RS001","message":"cut of', ""])
def test_what_is_not_the_stores_stays_the_connectors(text: str) -> None:
    assert errors.from_snowflake(ProgrammingError(text)) is None


def test_errors_that_are_snowflakes_own_stay_so(store: SnowflakeRunStore, plan: Plan, run: str) -> None:
    own = ProgrammingError("Insufficient privileges to operate on procedure", errno=3001, sqlstate="42501")
    plan.at("before", "CALL FETCH_EVENTS", own)
    with pytest.raises(ProgrammingError) as caught:
        store.fetch_events(run)
    assert caught.value is own
    assert plan.calls("FETCH_EVENTS") == 1


# Retries

WAITED = (
    "Uncaught exception of type 'STATEMENT_ERROR' on line 4 at position 8 : Statement '01b6-7' has locked table "
    "'APPEND_LOCK' in transaction 1725 and this lock has not yet been released.\nYour statement '01b6-8' was aborted "
)
LOGGED_EVENTS = (SOURCES / "log" / "logged_events.sql").read_text(encoding="utf-8")
LOGGED_EVENTS_BEFORE = "CREATE OR REPLACE VIEW LOGGED_EVENTS AS SELECT * FROM RUN_EVENTS WHERE 1 = 0"
FORMS = pytest.mark.parametrize("form", ["single", "json", "batch", "many"])


def _lose_races(bench: Bench, plan: Plan, event: RunEventWrite, times: int) -> None:
    """Have another session append the event, and the next appends not see that yet; it is seen as they write."""
    SnowflakeRunStore.on(bench.connection()).append_event(event)  # type: ignore[arg-type]  # stands for one
    plan.at("before", "CALL APPEND_EVENT", lambda: bench.script(LOGGED_EVENTS_BEFORE))
    for _ in range(times - 1):
        plan.at("before", "CALL APPEND_EVENT", lambda: None)
    plan.at("before", "CALL APPEND_EVENT", lambda: bench.script(LOGGED_EVENTS))


@FORMS
def test_a_lost_race_is_run_again(store: SnowflakeRunStore, bench: Bench, plan: Plan, run: str, form: str) -> None:
    _lose_races(bench, plan, write(run, "sent"), 2)
    (answer,) = _send(store, write(run, "sent"), form)
    assert (answer.run_seq, answer.idempotent, answer.persisted) == (1, True, False)
    assert plan.calls("APPEND_EVENT") == 3
    assert [each.event_id for each in store.fetch_events(run)] == [answer.event_id]


def test_a_lost_race_is_an_error_where_nothing_is_sent_again(
    connect: Connect, bench: Bench, plan: Plan, run: str
) -> None:
    store = connect(retries=0)
    _lose_races(bench, plan, write(run, "sent"), 1)
    with pytest.raises(errors.AppendRaced) as caught:
        store.append_event(write(run, "sent"))
    assert caught.value.sqlstate == "40001"
    assert str(caught.value).startswith("APPEND_RACED: ")
    assert caught.value.hint
    assert store.append_event(write(run, "sent")).idempotent


@pytest.mark.parametrize("method", ["append_events", "append_many"])
def test_a_race_that_is_lost_each_time_is_tried_as_often_as_told(
    connect: Connect, bench: Bench, plan: Plan, run: str, method: str
) -> None:
    store = connect(retries=2)
    _lose_races(bench, plan, write(run, "sent"), 3)
    with pytest.raises(errors.AppendRaced):
        getattr(store, method)([write(run, "sent")])
    assert plan.calls("APPEND_EVENT") == 3
    assert store.append_event(write(run, "sent")).idempotent


@pytest.mark.parametrize(
    "error",
    [
        ProgrammingError(f"{WAITED}because the number of waiters exceeds the 20 statements limit.", errno=625),
        ProgrammingError("too many waiters, in other words", errno=625, sqlstate="57014"),
        ProgrammingError(f"{WAITED}because it waited for too long.", errno=999, sqlstate="57014"),
        ProgrammingError("Statement was chosen to end a Deadlock", errno=999, sqlstate="57014"),
        ProgrammingError("x : Duplicate key value violates unique constraint PKEY", errno=999, sqlstate="22000"),
        ProgrammingError("x : A primary key already exists.", errno=999, sqlstate="22000"),
        ProgrammingError("a key, in other words", errno=200001, sqlstate="22000"),
    ],
    ids=["waiters", "waiters-number", "waited", "deadlock", "unique", "primary", "key-number"],
)
def test_a_lock_that_was_not_got_is_tried_again_on_the_same_connection(
    store: SnowflakeRunStore, plan: Plan, run: str, error: Error
) -> None:
    plan.at("before", "CALL APPEND_EVENT", error)
    assert store.append_event(write(run, "sent")).persisted
    assert plan.calls("APPEND_EVENT") == 2
    assert len(plan.connections) == 1


LOST = [
    OperationalError("Failed to execute request: timed out", errno=250003),
    InterfaceError("Failed to execute request", errno=250001),
    ProgrammingError("Session no longer exists. New login required.", errno=390111, sqlstate="08001"),
    ProgrammingError("Authentication token has expired.", errno=390114, sqlstate="08001"),
]
FAULTS = pytest.mark.parametrize("error", LOST, ids=lambda error: str(error.errno))


@FAULTS
@pytest.mark.parametrize("form", ["single", "batch", "many"])
def test_an_event_whose_answer_was_lost_is_stored_once(
    store: SnowflakeRunStore, plan: Plan, run: str, form: str, error: Error
) -> None:
    store.append_event(write(run))
    plan.at("after", "CALL APPEND_EVENT", error)
    (answer,) = _send(store, write(run, "sent"), form)
    assert (answer.run_seq, answer.idempotent, answer.persisted) == (2, True, False)
    assert [(each.run_seq, each.event_id) for each in store.fetch_events(run)][1:] == [(2, answer.event_id)]
    assert [each.closed for each in plan.connections] == [True, False]


def test_an_event_that_never_arrived_is_stored(store: SnowflakeRunStore, plan: Plan, run: str) -> None:
    plan.at("before", "CALL APPEND_EVENT", LOST[0])
    answer = store.append_event(write(run, "sent"))
    assert (answer.run_seq, answer.persisted) == (1, True)


def test_a_connection_that_was_closed_meanwhile_is_replaced(store: SnowflakeRunStore, plan: Plan, run: str) -> None:
    store.append_event(write(run))
    plan.connections[0].closed = True
    plan.at("before", "CALL APPEND_EVENT", DatabaseError("Connection is closed", errno=250002, sqlstate="08003"))
    assert store.append_event(write(run, "sent")).run_seq == 2
    assert len(plan.connections) == 2


def test_a_lost_connection_is_an_error_where_nothing_is_sent_again(connect: Connect, plan: Plan, run: str) -> None:
    store = connect(retries=0)
    plan.at("after", "CALL APPEND_EVENT", LOST[0])
    with pytest.raises(OperationalError):
        store.append_event(write(run, "sent"))
    assert [each.closed for each in plan.connections] == [True]
    assert store.append_event(write(run, "sent")).idempotent


def test_dead_connections_that_wait_cost_one_try(connect: Connect, plan: Plan, run: str) -> None:
    store = connect(retries=1, max_size=3)
    _together(store, plan, 3)
    plan.at("before", "CALL APPEND_EVENT", LOST[0])
    assert store.append_event(write(run, "sent")).persisted
    assert [each.closed for each in plan.connections] == [True, True, True, False]


@pytest.mark.parametrize(
    "error",
    [
        ProgrammingError("SQL execution canceled", errno=604, sqlstate="57014"),
        ProgrammingError("Statement reached its statement or warehouse timeout", errno=630, sqlstate="57014"),
        ProgrammingError("Numeric value 'x' is not recognized", errno=100038, sqlstate="22018"),
        ProgrammingError(f"x : {REFUSED}", errno=-20001),
    ],
    ids=["canceled", "timeout", "data", "refused"],
)
def test_what_is_refused_is_not_sent_again(store: SnowflakeRunStore, plan: Plan, run: str, error: Error) -> None:
    plan.at("before", "CALL APPEND_EVENT", error)
    with pytest.raises((Error, errors.RunStoreError)):
        store.append_event(write(run, "sent"))
    assert plan.calls("APPEND_EVENT") == 1
    assert store.append_event(write(run, "sent")).persisted
    assert len(plan.connections) == 1


def test_a_login_that_is_refused_is_not_tried_again(
    connect: Connect, run: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After some wrong passwords the account would lock the user."""
    tries = []

    def refuse(**parameters: Any) -> None:
        tries.append(parameters)
        raise OperationalError("Failed to connect to DB", errno=250001, sqlstate="08001")

    monkeypatch.setattr(snowflake.connector, "connect", refuse)
    with pytest.raises(OperationalError):
        connect().append_event(write(run))
    assert len(tries) == 1


def test_an_interrupted_call_leaves_no_connection_in_doubt(store: SnowflakeRunStore, plan: Plan, run: str) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    plan.at("after", "CALL APPEND_EVENT", interrupt)
    with pytest.raises(KeyboardInterrupt):
        store.append_event(write(run, "sent"))
    assert [each.closed for each in plan.connections] == [True]


@pytest.mark.parametrize("error", [*LOST, ProgrammingError(WAITED, errno=625)], ids=lambda error: str(error.errno))
def test_on_the_callers_connection_nothing_is_sent_again(bench: Bench, run: str, error: Error) -> None:
    plan = Plan()
    inside = SnowflakeRunStore.on(Breaking(bench.connection(), plan))  # type: ignore[arg-type]  # stands for one
    plan.at("before", "CALL APPEND_EVENT", error)
    with pytest.raises(Error) as caught:
        inside.append_event(write(run, "sent"))
    assert caught.value is error
    assert plan.calls("APPEND_EVENT") == 1


def test_on_the_callers_connection_a_lost_race_is_the_callers(bench: Bench, run: str) -> None:
    plan = Plan()
    inside = SnowflakeRunStore.on(Breaking(bench.connection(), plan))  # type: ignore[arg-type]  # stands for one
    _lose_races(bench, plan, write(run, "sent"), 1)
    with pytest.raises(errors.AppendRaced):
        inside.append_event(write(run, "sent"))
    assert inside.append_event(write(run, "sent")).idempotent


# Connections


def test_nothing_is_opened_before_the_first_call(connect: Connect, plan: Plan) -> None:
    store = connect()
    assert plan.opened_with == []
    assert (store.version(), len(plan.opened_with)) == (runstore.__version__, 1)


def test_sessions_are_opened_as_documented(connect: Connect, plan: Plan) -> None:
    connect().version()
    assert plan.opened_with == [
        {
            **ACCOUNT,
            "schema": "RUNSTORE",
            "login_timeout": 60,
            "network_timeout": 120,
            "session_parameters": {"TIMEZONE": "UTC", "LOCK_TIMEOUT": 30, "QUERY_TAG": "runstore"},
            "autocommit": True,
            "paramstyle": "qmark",
        }
    ]


def test_the_callers_parameters_win(connect: Connect, plan: Plan) -> None:
    given = {"schema": "OTHER", "login_timeout": 5, "network_timeout": 600, "client_session_keep_alive": True}
    connect(**given, session_parameters={"lock_timeout": 7, "QUERY_TAG": "mine", "WEEK_START": 1}).version()
    opened = plan.opened_with[0]
    assert given.items() <= opened.items()
    assert opened["session_parameters"] == {"TIMEZONE": "UTC", "LOCK_TIMEOUT": 7, "QUERY_TAG": "mine", "WEEK_START": 1}


def test_what_a_call_rests_on_is_not_the_callers_to_choose(connect: Connect, plan: Plan) -> None:
    connect(autocommit=False, paramstyle="pyformat").version()
    assert (plan.opened_with[0]["autocommit"], plan.opened_with[0]["paramstyle"]) == (True, "qmark")


def test_a_named_connection_keeps_the_schema_that_it_has(plan: Plan) -> None:
    with client.connect(connection_name="engine") as store:
        store.version()
    assert "schema" not in plan.opened_with[0]


def test_the_paramstyle_of_other_connections_stays_as_it_was(connect: Connect) -> None:
    connect().version()
    assert snowflake.connector.paramstyle == "pyformat"


def test_one_connection_serves_one_call_after_the_other(store: SnowflakeRunStore, plan: Plan, run: str) -> None:
    store.append_event(write(run))
    store.fetch_events(run)
    assert len(plan.connections) == 1
    assert plan.calls("SELECT VERSION") == 1


@pytest.mark.parametrize("max_size", [1, 3])
def test_calls_at_the_same_time_have_a_connection_each_as_far_as_allowed(
    connect: Connect, plan: Plan, max_size: int
) -> None:
    _together(connect(max_size=max_size), plan, max_size)
    assert len(plan.connections) == max_size


def test_a_call_beyond_that_waits_for_a_connection(connect: Connect, plan: Plan, run: str) -> None:
    store, answers = connect(max_size=1), []
    waiting = threading.Thread(target=lambda: answers.append(store.fetch_events(run)))

    def start() -> None:
        waiting.start()
        # It has nothing to wait for that could be seen; were it let through, it would be done at once.
        waiting.join(0.5)

    plan.at("before", "GET_SNAPSHOT", start)
    store.get_snapshot(run)
    assert answers == []
    waiting.join()
    assert answers == [[]]
    assert len(plan.connections) == 1


def test_any_number_of_threads_may_use_a_store(connect: Connect, plan: Plan, run: str) -> None:
    store = connect(max_size=2)
    threads = [threading.Thread(target=store.fetch_events, args=[f"{run}-{n}"]) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert plan.calls("FETCH_EVENTS") == 8
    assert len(plan.connections) <= 2


def test_a_store_closes_its_connections(connect: Connect, plan: Plan) -> None:
    with connect() as store:
        store.version()
        assert not plan.connections[0].closed
    assert plan.connections[0].closed
    with pytest.raises(RuntimeError, match="closed"):
        store.version()


def test_the_callers_connection_stays_open_and_is_asked_for_its_version_once(bench: Bench, run: str) -> None:
    plan = Plan()
    connection: Any = Breaking(bench.connection(), plan)
    for step in "ab":
        with SnowflakeRunStore.on(connection) as inside:
            inside.append_event(write(run, step))
    assert not connection.closed
    assert plan.calls("SELECT VERSION") == 1


def test_a_connection_that_would_build_sql_from_values_is_not_taken(bench: Bench) -> None:
    class Formatting(Breaking):
        is_pyformat = True

    with pytest.raises(ValueError, match='paramstyle="qmark"'):
        SnowflakeRunStore.on(Formatting(bench.connection(), Plan()))  # type: ignore[arg-type]  # stands for one


def test_a_schema_without_the_store_is_named_as_such(monkeypatch: pytest.MonkeyPatch) -> None:
    empty = Bench()
    monkeypatch.setattr(snowflake.connector, "connect", lambda **_: empty.connection())
    with client.connect(**ACCOUNT) as store, pytest.raises(errors.NotInstalled) as caught:
        store.version()
    assert caught.value.hint
    assert isinstance(caught.value.__cause__, ProgrammingError)
    with pytest.raises(errors.NotInstalled):
        SnowflakeRunStore.on(empty.connection()).version()  # type: ignore[arg-type]  # stands for one


@pytest.mark.parametrize("version", ["0.2.0", "99.0.0"])
def test_a_schema_that_this_client_does_not_understand_is_refused(
    monkeypatch: pytest.MonkeyPatch, version: str
) -> None:
    other = Bench()
    statement = f"CREATE FUNCTION VERSION() RETURNS VARCHAR LANGUAGE SQL AS $$ '{version}' $$"
    other.connection().cursor().execute(statement)
    monkeypatch.setattr(snowflake.connector, "connect", lambda **_: other.connection())
    with client.connect(**ACCOUNT) as store, pytest.raises(errors.IncompatibleSchema, match=version):
        store.append_event(write("run"))


def test_without_the_connector_the_package_works_and_says_what_to_install() -> None:
    """In an interpreter of its own, which has no such package."""
    program = """
import sys
sys.modules["snowflake"] = sys.modules["snowflake.connector"] = None
from runstore import SnowflakeRunStore, snowflake
for call in (lambda: snowflake.connect(account="a"), lambda: SnowflakeRunStore.on(object())):
    try:
        call()
    except ImportError as error:
        print(error)
"""
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert found.stdout.splitlines() == ["Snowflake's connector is missing: pip install 'runstore[snowflake]'"] * 2


def test_the_connector_is_not_imported_before_it_is_needed() -> None:
    program = "import runstore, sys; print('snowflake.connector' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert found.stdout == "False\n"


def _together(store: SnowflakeRunStore, plan: Plan, clients: int) -> None:
    """Make as many calls that all wait for each other inside of a statement."""
    barrier = threading.Barrier(clients, timeout=30)
    meet = plan.tell

    def tell(when: str, statement: str) -> None:
        meet(when, statement)
        if when == "before" and "GET_SNAPSHOT" in statement:
            barrier.wait()

    plan.tell = tell  # type: ignore[method-assign]
    threads = [threading.Thread(target=store.get_snapshot, args=[f"{uuid4()}"]) for _ in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    plan.tell = meet  # type: ignore[method-assign]
    assert not barrier.broken
