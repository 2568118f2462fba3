"""Reading: pages of events, lists of runs, snapshots, and the two functions that compute without a store."""

from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
from appends import append_batch, event
from bench_stores import BenchStore, fresh_store, refused
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from support import Connection

NOON = datetime(2026, 3, 1, 12, tzinfo=timezone.utc)
HOSTILE = [
    "' OR 1=1 --",
    'it\'s "quoted"',
    "back\\slash\\' ; DROP TABLE RUN_EVENTS; --",
    "$$; DELETE FROM RUN_EVENTS; $$",
    "a\nb\r\tc",
    "? :1 %s {x}",
    "é 计划 😀",
    " run ",
    "RUN",
]

deterministic = settings(
    max_examples=60,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate, Phase.shrink],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def _noted(run: str, count: int) -> list[dict[str, Any]]:
    return [event(run, "", eventType="Noted", stepId=None, logicalAttemptId=n) for n in range(1, count + 1)]


@pytest.fixture(scope="module")
def paged(shared: BenchStore) -> BenchStore:
    """A store with runs of 5 and of 1001 events."""
    shared.append_batch(_noted("short", 5))
    shared.insert_log("long", ["Noted"] * 1001)
    return shared


# FETCH_EVENTS


@pytest.mark.parametrize(
    ("after_seq", "limit", "seqs"),
    [
        (0, 1, [1]),
        (0, 2, [1, 2]),
        (2, 2, [3, 4]),
        (4, 2, [5]),
        (5, 2, []),
        (6, 2, []),
        (2**62, 2, []),
        (0, 10000, [1, 2, 3, 4, 5]),
        (None, None, [1, 2, 3, 4, 5]),
    ],
)
def test_a_page_has_what_is_after_the_watermark_in_order_and_no_more_than_the_limit(
    paged: BenchStore, after_seq: int | None, limit: int | None, seqs: list[int]
) -> None:
    assert [row["run_seq"] for row in paged.fetch("short", after_seq, limit)] == seqs


def test_a_page_has_1000_events_from_the_beginning_unless_told_otherwise(paged: BenchStore) -> None:
    for arguments in (["long"], ["long", None], ["long", None, None], ["long", 0, 1000]):
        assert [row["run_seq"] for row in paged.call("FETCH_EVENTS", *arguments)] == [*range(1, 1001)]
    assert [row["run_seq"] for row in paged.call("FETCH_EVENTS", "long", 1)] == [*range(2, 1002)]
    assert len(paged.fetch("long", 0, 1001)) == 1001


def test_an_event_is_read_as_it_was_sent(shared: BenchStore) -> None:
    sent = event(
        "whole",
        "a",
        eventType="StepFailed",
        emittedAt="2026-02-16T11:30:00.123456+02:00",
        engineAttemptId=2,
        logicalAttemptId=3,
        idempotencyKey="AB" * 32,
        eventId="0D3C6A9E-4F0C-4A8E-9D5D-3D4C0F7DBB8A",
        payload={"error": {"text": 'é"\\\n😀', "n": [1, 1.5, None, True]}, "empty": {}},
        adapterVersion="v1",
        engineRunRef={"id": None},
        causedBySignalId="11111111-1111-1111-1111-111111111111",
        parentEventId="22222222-2222-1222-8222-222222222222",
    )
    shared.set_clock("2026-03-01T12:00:00.000001Z")
    shared.append(sent)
    assert shared.fetch("whole") == [
        {
            "run_id": "whole",
            "run_seq": 1,
            "event_id": "0d3c6a9e-4f0c-4a8e-9d5d-3d4c0f7dbb8a",
            "event_type": "StepFailed",
            "step_id": "a",
            "engine_attempt_id": 2,
            "logical_attempt_id": 3,
            "tenant_id": "tenant",
            "project_id": "project",
            "environment_id": "environment",
            "plan_id": "plan",
            "plan_version": "1",
            "idempotency_key": "ab" * 32,
            "payload": sent["payload"],
            "emitted_at": datetime(2026, 2, 16, 9, 30, 0, 123456, tzinfo=timezone.utc),
            "persisted_at": NOON + timedelta(microseconds=1),
            "adapter_version": "v1",
            "engine_run_ref": {"id": None},
            "caused_by_signal_id": "11111111-1111-1111-1111-111111111111",
            "parent_event_id": "22222222-2222-1222-8222-222222222222",
        }
    ]


@pytest.mark.parametrize("run", ["no such run", "SHORT", "short ", "shor", "", None])
def test_an_unknown_run_has_no_events_and_no_snapshot(paged: BenchStore, run: str | None) -> None:
    assert paged.fetch(run) == []
    assert paged.value("GET_SNAPSHOT", run) is None


@pytest.mark.parametrize("run", HOSTILE)
def test_a_run_of_any_name_is_read_and_no_other(paged: BenchStore, run: str) -> None:
    paged.append_batch([event(run, "a", eventType="StepStarted"), event(run, "b")])
    assert [(row["run_id"], row["run_seq"]) for row in paged.fetch(run)] == [(run, 1), (run, 2)]
    assert paged.project_snapshot(run)["runId"] == run
    assert paged.get_snapshot(run) == paged.project_snapshot(run)
    assert paged.replay_snapshot(run, 1)["runId"] == run
    [listed] = [row for row in paged.call("LIST_RUNS", None, None, 10000) if row["run_id"] == run]
    assert listed["cursor"].endswith(f"Z|{run}")
    assert paged.verify_run(run) == []


@pytest.mark.parametrize("run", ["short", "no such run", None])
def test_a_page_out_of_range_is_refused(paged: BenchStore, run: str | None) -> None:
    for after_seq in (-1, -(2**62)):
        with refused("RS010", field="afterSeq", value=str(after_seq), expected="a whole number from 0"):
            paged.fetch(run, after_seq)
    for limit in (0, -1, 10001, 2**31 - 1):
        with refused("RS010", field="limit", value=str(limit), expected="a whole number from 1 to 10000"):
            paged.fetch(run, 0, limit)


def test_a_snapshot_is_null_until_the_run_was_projected(shared: BenchStore) -> None:
    shared.append_types("waiting", "RunStarted")
    assert shared.get_snapshot("waiting") is None
    assert shared.project_snapshot("waiting") == shared.get_snapshot("waiting")
    shared.append_types("waiting", "RunPaused")
    snapshot = shared.get_snapshot("waiting")
    assert snapshot is not None
    assert (snapshot["lastEventSeq"], snapshot["stale"]) == (1, False), "it shows what is stored and not what is new"


# LIST_RUNS


@pytest.fixture(scope="module")
def listed() -> Iterator[BenchStore]:
    """A store with runs of two tenants that began a second apart."""
    kinds = ("RunStarted", "RunQueued", "RunApproved", "RunCompleted", "RunFailed", "RunCancelled", "RunStarted")
    with fresh_store() as store:
        for n, event_type in enumerate((*kinds, "RunStarted"), 1):
            store.set_clock(f"2026-03-01T12:00:0{n}Z")
            tenant = "odd" if n % 2 else "even"
            store.append(event(f"run {n}", "", eventType=event_type, stepId=None, tenantId=tenant))
        store.append(event("run 7", "", eventType="RunPaused", stepId=None, tenantId="odd"))
        store.append(event("run 5", "", eventType="RunPaused", stepId=None, tenantId="odd"))
        store.project_all()
        store.append(event("not projected yet", "a"))
        yield store


@pytest.mark.parametrize(
    ("tenant", "status", "runs"),
    [
        (None, None, "87654321"),
        (None, "PENDING", "2"),
        (None, "APPROVED", "3"),
        (None, "RUNNING", "81"),
        (None, "PAUSED", "7"),
        (None, "COMPLETED", "4"),
        (None, "FAILED", "5"),
        (None, "CANCELLED", "6"),
        ("even", None, "8642"),
        ("odd", "RUNNING", "1"),
        ("even", "PAUSED", ""),
        ("no such tenant", None, ""),
        ("EVEN", None, ""),
        ("' OR 1=1 --", None, ""),
    ],
)
def test_runs_of_one_tenant_or_status_are_listed_the_newest_first(
    listed: BenchStore, tenant: str | None, status: str | None, runs: str
) -> None:
    found = [row["run_id"] for row in listed.call("LIST_RUNS", tenant, status)]
    assert found == [f"run {n}" for n in runs]


def test_a_listed_run_shows_what_its_snapshot_says(listed: BenchStore) -> None:
    [row] = listed.call("LIST_RUNS", None, "FAILED")
    snapshot = listed.get_snapshot("run 5")
    assert snapshot is not None
    assert row == {
        "run_id": "run 5",
        "tenant_id": "odd",
        "project_id": "project",
        "environment_id": "environment",
        "status": "FAILED",
        "last_event_seq": 2,
        "begun_at": NOON + timedelta(seconds=5),
        "started_at": None,
        "completed_at": datetime(2026, 2, 16, 9, 30, 0, 123456, tzinfo=timezone.utc),
        "consistency": "INCONSISTENT",
        "stale": False,
        "projected_at": NOON + timedelta(seconds=8),
        "cursor": "2026-03-01T12:00:05.000000Z|run 5",
    }
    assert snapshot["projectedAt"] == "2026-03-01T12:00:08.000000Z"


@pytest.mark.parametrize("limit", [1, 3, 8, 100])
def test_cursors_lead_from_page_to_page_to_each_run_once(listed: BenchStore, limit: int) -> None:
    seen: list[str] = []
    cursor = None
    while page := listed.call("LIST_RUNS", None, None, limit, cursor):
        assert len(page) <= limit
        seen += [row["run_id"] for row in page]
        cursor = page[-1]["cursor"]
    assert seen == [f"run {n}" for n in range(8, 0, -1)]


def test_a_list_goes_on_where_it_was_though_runs_come_and_change(store: BenchStore) -> None:
    for n in range(1, 7):
        store.set_clock(f"2026-03-01T12:00:0{n}Z")
        store.append_types(f"run {n}", "RunStarted")
    store.project_all()
    page = store.call("LIST_RUNS", None, None, 3)
    store.set_clock("2026-03-01T13:00:00Z")
    for run, event_type in (("run 7", "RunStarted"), ("run 5", "RunCompleted"), ("run 3", "RunFailed")):
        store.append_types(run, event_type)
    store.project_all()
    assert [row["run_id"] for row in page] == ["run 6", "run 5", "run 4"]
    after = store.call("LIST_RUNS", None, None, 3, page[-1]["cursor"])
    assert [row["run_id"] for row in after] == ["run 3", "run 2", "run 1"]


def test_runs_that_began_at_the_same_moment_are_listed_by_their_ids(store: BenchStore) -> None:
    store.set_clock("2026-03-01T12:00:00Z")
    store.append_batch([event(run, "a") for run in ("b", "a", "B", "é", "10", "9")])
    store.project_all()
    assert [row["run_id"] for row in store.call("LIST_RUNS")] == ["é", "b", "a", "B", "9", "10"]


def test_a_list_knows_when_a_run_began_that_could_not_be_projected_at_first(shared: BenchStore) -> None:
    shared.set_clock("2026-03-01T12:00:00Z")
    for run in ("late gap", "late parked"):
        shared.append_types(run, "StepStarted")
    shared.set_clock("2026-03-01T13:00:00Z")
    for run in ("late gap", "late parked"):
        shared.append_types(run, "StepCompleted")
    shared.lose("late gap", 1)
    shared.spoil("late parked", 1)
    for run in ("late gap", "late parked"):
        assert shared.project_snapshot(run)["stale"] is True
    shared.bring_back("late gap", 1)
    shared.mend("late parked", 1)
    for run in ("late gap", "late parked"):
        shared.project_snapshot(run)
    rows = {row["run_id"]: row["begun_at"] for row in shared.call("LIST_RUNS", None, None, 10000)}
    assert [rows["late gap"], rows["late parked"]] == [NOON, NOON]


def test_a_list_has_100_runs_unless_told_otherwise(store: BenchStore) -> None:
    store.append_batch([event(f"run {n}", "a") for n in range(101)])
    store.project_all()
    assert len(store.call("LIST_RUNS")) == 100
    assert len(store.call("LIST_RUNS", None, None, None, None)) == 100
    assert len(store.call("LIST_RUNS", None, None, 101)) == 101


@pytest.mark.parametrize("limit", [0, -1, 10001, 2**31 - 1])
def test_a_list_out_of_range_is_refused(listed: BenchStore, limit: int) -> None:
    with refused("RS010", field="limit", value=str(limit), expected="a whole number from 1 to 10000"):
        listed.call("LIST_RUNS", None, None, limit)


@pytest.mark.parametrize("status", ["running", "", "SUCCESS", "RUNNING ", "QUEUED", "' OR 1=1 --", "é" * 1000])
def test_a_status_that_is_none_is_refused(listed: BenchStore, status: str) -> None:
    statuses = "APPROVED, CANCELLED, COMPLETED, FAILED, PAUSED, PENDING, RUNNING"
    with refused("RS010", field="status", value=status[:100], expected=statuses):
        listed.call("LIST_RUNS", None, status)


@pytest.mark.parametrize(
    "cursor",
    [
        "",
        "|",
        "run-1",
        "2026-03-01T12:00:00.000000Z",
        "2026-03-01T12:00:00.000000Z|",
        "|run-1",
        "yesterday|run-1",
        "infinity|run-1",
        "2026-03-01|run-1",
        "run-1|2026-03-01T12:00:00.000000Z",
        "2026-03-01T12:00:00.000000Z|run-1|more",
        "x" * 1000,
    ],
)
def test_a_cursor_that_no_list_gave_is_refused(listed: BenchStore, cursor: str) -> None:
    with refused("RS010", field="cursor", value=cursor[:100], expected="the cursor of a row"):
        listed.call("LIST_RUNS", None, None, 100, cursor)


# The functions

texts = st.one_of(st.none(), st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=20))
attempts = st.one_of(st.none(), st.integers(-(2**31), 2**31 - 1))


@deterministic
@given(calls=st.lists(st.tuples(texts, texts, attempts, texts, texts, texts), min_size=8, max_size=8))
def test_the_key_is_that_of_postgresql(postgres: Connection, shared: BenchStore, calls: list[tuple[Any, ...]]) -> None:
    query = "SELECT " + ", ".join(f"IDEMPOTENCY_KEY(?, ?, ?, ?, ?, ?) AS K{n}" for n in range(len(calls)))
    there = postgres.execute(
        ("select " + ", ".join("runstore.idempotency_key(%s::text, %s, %s::int, %s, %s, %s)" for _ in calls)).encode(),
        [argument for call in calls for argument in call],
    ).fetchone()
    [here] = shared.sql(query, *(argument for call in calls for argument in call))
    assert tuple(here.values()) == there


NUMBERS = [None, 0, 1, 2, 3, 5, 100, -1, 2**62, 2**63 - 2, 2**63 - 1, -(2**62)]


def test_a_gap_is_where_postgresql_sees_one(postgres: Connection, shared: BenchStore) -> None:
    pairs = [(last, following) for last in NUMBERS for following in NUMBERS]
    there = postgres.execute(
        ("select " + ", ".join("runstore.detect_gap(%s::bigint, %s::bigint)" for _ in pairs)).encode(),
        [number for pair in pairs for number in pair],
    ).fetchone()
    query = "SELECT " + ", ".join(f"DETECT_GAP(?, ?) AS G{n}" for n in range(len(pairs)))
    [here] = shared.sql(query, *(number for pair in pairs for number in pair))
    assert tuple(here.values()) == there


def test_events_are_read_as_postgresql_reads_them(postgres: Connection, shared: BenchStore) -> None:
    sent = [event(run, "schritt-ß", payload={"n": n}) for n, run in enumerate(HOSTILE)]
    append_batch(postgres, sent)
    other = [{**one, "runId": one["runId"]} for one in sent]
    shared.append_batch([{**one, "stepId": "schritt-ß"} for one in other])
    for run in HOSTILE:
        there = postgres.execute(
            "select run_id, idempotency_key, payload, emitted_at from runstore.fetch_events(%s)", [run]
        ).fetchall()
        here = [row for row in shared.fetch(run) if row["step_id"] == "schritt-ß"]
        assert [(row["run_id"], row["idempotency_key"], row["payload"], row["emitted_at"]) for row in here] == there
