"""Projecting: long runs in chunks, gaps, damaged runs, refused events, and what a call that fails leaves behind."""

from typing import Any

import pytest
from append_rules import Refusal
from appends import event
from bench_stores import TABLES, BenchStore, folded, refused
from projections import ARTIFACTS
from snowflake.connector.errors import ProgrammingError

NOON = "2026-03-01T12:00:00Z"
EMPTY = {
    "tenantId": "tenant",
    "projectId": "project",
    "environmentId": "environment",
    "status": "PENDING",
    "lastEventSeq": 0,
    "steps": [],
    "artifacts": [],
    "failedSteps": 0,
    "consistency": "CONSISTENT",
}
LONG = 10_001
# Every way to project a run, by the name of the run that it projects.
WAYS = {
    "project_snapshot": lambda store: store.project_snapshot("project_snapshot"),
    "full": lambda store: store.resync_run("full", "FULL"),
    "from_snapshot": lambda store: store.resync_run("from_snapshot", "FROM_SNAPSHOT"),
    "project_pending": lambda store: store.project_pending(),
}


def _stands(snapshot: dict[str, Any] | None) -> tuple[int, str, bool]:
    """Return where a snapshot stands, and whether it is stale."""
    assert snapshot is not None
    return snapshot["lastEventSeq"], snapshot["status"], snapshot["stale"]


def _folds(store: BenchStore) -> int:
    """Return how often snapshots were written since the log of the bench was reset."""
    return sum(
        statement.kind == "MERGE" and "MERGE INTO RUN_SNAPSHOTS" in statement.text
        for statement in store.bench.statements
    )


# Chunks


def test_a_run_of_more_events_than_a_chunk_holds_is_projected_in_one_call(store: BenchStore) -> None:
    store.insert_log("long", ["RunStarted", *["StepStarted", "StepCompleted"] * 2, *["Noted"] * LONG, "RunCompleted"])
    store.bench.reset_log()
    assert store.project_pending() == 1
    assert _folds(store) > 1
    snapshot = store.get_snapshot("long")
    assert snapshot is not None
    assert _stands(snapshot) == (LONG + 6, "COMPLETED", False)
    assert folded(snapshot) == store.replay_snapshot("long")
    assert store.replay_snapshot("long", LONG)["lastEventSeq"] == LONG
    assert store.project_pending() == 0


def test_a_refused_event_in_each_chunk_raises_its_alert(store: BenchStore) -> None:
    refusals = [2, 9_999, LONG]
    store.insert_log("long", ["RunStarted" if n in (1, *refusals) else "Noted" for n in range(1, LONG + 1)])
    store.bench.reset_log()
    assert store.project_snapshot("long")["consistency"] == "INCONSISTENT"
    assert _folds(store) > 1
    assert store.raised("long") == [("INVALID_TRANSITION", seq, 1, True) for seq in refusals]
    assert folded(store.resync_run("long")) == store.replay_snapshot("long")
    assert store.raised("long") == [("INVALID_TRANSITION", seq, 1, True) for seq in refusals]


@pytest.mark.parametrize("missing", [1, 7_999, 8_000, 8_001, 10_000, LONG])
def test_a_gap_is_found_wherever_it_is_in_a_long_run(shared: BenchStore, missing: int) -> None:
    run = f"gap at {missing}"
    shared.insert_log(run, ["Noted"] * LONG)
    shared.lose(run, missing)
    assert _stands(shared.project_snapshot(run)) == (missing - 1, "PENDING", True)
    assert shared.raised(run) == [("PROJECTOR_GAP_DETECTED", missing, 1, True)]
    assert shared.replay_snapshot(run)["lastEventSeq"] == missing - 1
    shared.bring_back(run, missing)
    assert _stands(shared.project_snapshot(run)) == (LONG, "PENDING", False)


def test_a_run_of_more_bytes_than_a_chunk_holds_is_projected_in_one_call(store: BenchStore) -> None:
    payload = {"error": "x" * 1_000_000, "artifactRefs": ARTIFACTS}
    store.insert_log("large", ["StepCompleted", *["Noted"] * 7, "RunFailed"], payload)
    store.bench.reset_log()
    snapshot = store.project_snapshot("large")
    assert _folds(store) == 3
    assert _stands(snapshot) == (9, "FAILED", False)
    assert snapshot["error"] == payload["error"]
    assert snapshot["artifacts"] == ARTIFACTS
    assert folded(snapshot) == store.replay_snapshot("large")


def test_an_event_larger_than_a_chunk_is_a_chunk_of_its_own(store: BenchStore) -> None:
    payload = {"error": "x" * 4_100_000}
    store.insert_log("huge", ["RunStarted", "RunFailed"], payload)
    assert store.project_snapshot("huge")["error"] == payload["error"]
    assert store.replay_snapshot("huge")["error"] == payload["error"]


def test_runs_of_any_length_are_projected_side_by_side(store: BenchStore) -> None:
    for n in range(1, 6):
        store.append_types(f"short {n}", "RunStarted", "StepStarted", "StepCompleted", "RunCompleted")
    store.insert_log("long", ["RunStarted", *["Noted"] * LONG])
    assert store.project_pending() == 6
    for run in ("long", *(f"short {n}" for n in range(1, 6))):
        snapshot = store.get_snapshot(run)
        assert snapshot is not None
        assert folded(snapshot) == store.replay_snapshot(run)


# Gaps


def test_a_gap_in_the_middle_halts_a_run_before_it(shared: BenchStore) -> None:
    shared.append_types("middle", "RunStarted", "StepStarted", "RunPaused", "StepCompleted", "RunResumed")
    shared.lose("middle", 3)
    snapshot = shared.project_snapshot("middle")
    assert _stands(snapshot) == (2, "RUNNING", True)
    assert folded(snapshot) == shared.replay_snapshot("middle", 2) == shared.replay_snapshot("middle")
    assert snapshot["consistency"] == "CONSISTENT"
    shared.append_types("middle", "RunCompleted")
    assert _stands(shared.project_snapshot("middle")) == (2, "RUNNING", True)
    assert [each["run_seq"] for each in shared.fetch("middle")] == [1, 2, 4, 5, 6]


def test_a_gap_at_the_start_halts_a_run_at_its_very_beginning(shared: BenchStore) -> None:
    shared.append_types("start", "RunStarted", "StepStarted", "RunCompleted")
    shared.lose("start", 1)
    snapshot = shared.project_snapshot("start")
    assert folded(snapshot) == {"runId": "start", **EMPTY} == shared.replay_snapshot("start")
    assert snapshot["stale"] is True
    [alert] = shared.alerts("start")
    assert (alert["code"], alert["runSeq"], alert["details"]) == (
        "PROJECTOR_GAP_DETECTED",
        1,
        {"lastSeq": 0, "nextSeq": 2},
    )
    shared.bring_back("start", 1)
    assert _stands(shared.project_snapshot("start")) == (3, "COMPLETED", False)
    assert shared.alerts("start") == []


@pytest.mark.parametrize(("run", "kept"), [("end", 2), ("nothing left", 0)])
def test_a_gap_at_the_end_halts_a_run_too(shared: BenchStore, run: str, kept: int) -> None:
    shared.append_types(run, "RunStarted", "RunPaused", "RunResumed", "RunCompleted")
    shared.lose(run, *range(kept + 1, 5))
    status = "PAUSED" if kept else "PENDING"
    assert _stands(shared.project_snapshot(run)) == (kept, status, True)
    assert [alert["details"] for alert in shared.alerts(run)] == [{"lastSeq": kept}]
    shared.bring_back(run, *range(kept + 1, 5))
    assert _stands(shared.project_snapshot(run)) == (4, "COMPLETED", False)


def test_a_run_that_was_projected_before_keeps_its_snapshot_at_a_gap(shared: BenchStore) -> None:
    shared.append_types("before", "RunStarted", "StepStarted")
    before = shared.project_snapshot("before")
    shared.append_types("before", "StepCompleted", "RunCompleted")
    shared.lose("before", 3)
    assert shared.project_snapshot("before") == {**before, "stale": True}
    assert shared.raised("before") == [("PROJECTOR_GAP_DETECTED", 3, 1, True)]


@pytest.mark.parametrize("way", WAYS)
def test_a_gap_that_closes_is_noticed_by_every_way_to_project(store: BenchStore, way: str) -> None:
    store.set_clock(NOON)
    store.append_types(way, "RunStarted", "StepStarted", "StepCompleted", "RunCompleted")
    store.lose(way, 2)
    assert store.project_pending() == 0
    store.bring_back(way, 2)
    store.set_clock("2026-03-01T12:00:10Z")
    WAYS[way](store)
    snapshot = store.get_snapshot(way)
    assert snapshot is not None
    assert _stands(snapshot) == (4, "COMPLETED", False)
    assert folded(snapshot) == store.replay_snapshot(way)
    [alert] = store.call("LIST_ALERTS", False)
    assert alert["resolved_at"].isoformat() == "2026-03-01T12:00:10+00:00"
    assert store.project_pending() == 0


def test_one_alert_is_raised_however_often_a_halted_run_is_projected(store: BenchStore) -> None:
    store.set_clock(NOON)
    store.append_types("run-1", "RunStarted", "RunPaused", "RunResumed", "RunPaused", "RunResumed")
    store.lose("run-1", 3, 4)
    store.project_pending()
    store.set_clock("2026-03-01T13:00:00Z")
    store.project_pending()
    store.append_types("run-1", "RunCompleted")
    store.project_snapshot("run-1")
    store.resync_run("run-1", "FROM_SNAPSHOT")
    store.resync_run("run-1", "FULL")
    [alert] = store.call("LIST_ALERTS", False)
    assert {name: part for name, part in alert.items() if name not in ("alert_id", "raised_at", "last_seen_at")} == {
        "code": "PROJECTOR_GAP_DETECTED",
        "severity": "P1",
        "run_id": "run-1",
        "tenant_id": "tenant",
        "event_id": None,
        "run_seq": 3,
        "details": {"lastSeq": 2, "nextSeq": 5},
        "count": 1,
        "acknowledged_at": None,
        "resolved_at": None,
    }
    assert alert["raised_at"].isoformat() == alert["last_seen_at"].isoformat() == "2026-03-01T12:00:00+00:00"


def test_the_alert_of_the_next_gap_comes_when_the_first_has_closed(shared: BenchStore) -> None:
    shared.append_types("two gaps", "RunStarted", "RunPaused", "RunResumed", "RunPaused", "RunResumed")
    shared.lose("two gaps", 2)
    shared.lose("two gaps", 4)
    shared.project_snapshot("two gaps")
    shared.bring_back("two gaps", 2)
    assert _stands(shared.project_snapshot("two gaps")) == (3, "RUNNING", True)
    gap = "PROJECTOR_GAP_DETECTED"
    assert shared.raised("two gaps") == [(gap, 2, 1, False), (gap, 4, 1, True)]
    shared.bring_back("two gaps", 4)
    shared.project_snapshot("two gaps")
    assert shared.raised("two gaps") == [(gap, 2, 1, False), (gap, 4, 1, False)]


def test_a_gap_below_the_snapshot_is_found_by_a_fold_of_the_whole_log(store: BenchStore) -> None:
    store.append_types("run-1", "RunStarted", "RunPaused", "RunResumed")
    store.project_pending()
    store.lose("run-1", 2)
    store.append_types("run-1", "RunCompleted")
    assert store.project_pending() == 1, "the projector goes on from its snapshot"
    before = store.get_snapshot("run-1")
    assert before is not None
    assert _stands(before) == (4, "COMPLETED", False)
    assert store.resync_run("run-1") == {**before, "stale": True}
    assert store.raised("run-1") == [("PROJECTOR_GAP_DETECTED", 2, 1, True)]
    assert store.resync_run("run-1") == {**before, "stale": True}
    assert store.project_snapshot("run-1") == {**before, "stale": True}
    assert store.resync_run("run-1", "FROM_SNAPSHOT") == {**before, "stale": True}
    store.bring_back("run-1", 2)
    snapshot = store.resync_run("run-1")
    assert folded(snapshot) == store.replay_snapshot("run-1")
    assert snapshot["stale"] is False
    assert store.raised("run-1") == [("PROJECTOR_GAP_DETECTED", 2, 1, False)]


def test_a_gap_below_the_snapshot_that_closes_lets_the_projector_go_on(store: BenchStore) -> None:
    store.set_clock(NOON)
    store.append_types("run-1", "RunStarted", "RunPaused", "RunResumed")
    store.project_pending()
    store.lose("run-1", 1)
    store.resync_run("run-1")
    store.append_types("run-1", "RunCompleted")
    store.set_clock("2026-03-01T12:10:00Z")
    assert store.project_pending() == 0
    assert _stands(store.get_snapshot("run-1")) == (3, "RUNNING", True)
    store.bring_back("run-1", 1)
    store.set_clock("2026-03-01T14:00:00Z")
    assert store.project_pending() == 1
    assert _stands(store.get_snapshot("run-1")) == (4, "COMPLETED", False)
    assert store.raised("run-1") == [("PROJECTOR_GAP_DETECTED", 1, 1, False)]


def test_a_gap_below_the_snapshot_keeps_no_other_run_waiting(store: BenchStore) -> None:
    store.set_clock(NOON)
    store.append_types("broken", "RunStarted", "RunPaused")
    store.project_pending()
    store.lose("broken", 1)
    store.resync_run("broken")
    store.set_clock("2026-03-01T12:10:00Z")
    store.append_types("run-1", "RunStarted")
    store.append_types("run-2", "RunStarted")
    assert [store.project_pending(1) for _ in range(3)] == [1, 1, 0]


# Runs that cannot be folded


@pytest.mark.parametrize(
    "damage",
    [
        "SNAPSHOT_DATA = PARSE_JSON('{\"steps\": 1}')",
        "SNAPSHOT_DATA = PARSE_JSON('{\"steps\": [null]}')",
        "RUN_ARTIFACTS = PARSE_JSON('7')",
    ],
)
def test_a_damaged_snapshot_parks_its_run_until_it_is_made_anew(store: BenchStore, damage: str) -> None:
    store.set_clock(NOON)
    for run in ("good", "damaged"):
        store.append_types(run, "RunStarted", "StepStarted")
    assert store.project_pending() == 2
    store.changed(f"UPDATE RUN_SNAPSHOTS SET {damage} WHERE RUN_ID = 'damaged'")  # noqa: S608
    for run in ("good", "damaged"):
        store.append_types(run, "StepCompleted", "RunPaused")
    assert store.project_pending() == 1, "only the good one comes to its end"
    assert _stands(store.get_snapshot("good")) == (4, "PAUSED", False)
    assert store.raised("damaged") == [("PROJECTION_FAILED", 3, 1, True)]
    assert store.raised("good") == []
    store.set_clock("2026-03-01T13:00:00Z")
    store.project_pending()
    assert store.raised("damaged") == [("PROJECTION_FAILED", 3, 1, True)]
    snapshot = store.resync_run("damaged", "FULL")
    assert _stands(snapshot) == (4, "PAUSED", False)
    assert folded(snapshot) == store.replay_snapshot("damaged")
    assert store.raised("damaged") == [("PROJECTION_FAILED", 3, 1, False)]


def test_a_damaged_event_parks_its_run_before_it_and_no_other(store: BenchStore) -> None:
    for n in range(1, 7):
        store.append_types(f"run {n}", "RunStarted", "StepCompleted")
    store.spoil("run 2", 2)
    store.spoil("run 5", 2)
    assert store.project_pending() == 4
    for n in range(1, 7):
        expected = (1, "RUNNING", True) if n in (2, 5) else (2, "RUNNING", False)
        assert _stands(store.get_snapshot(f"run {n}")) == expected
        raised = [("PROJECTION_FAILED", 2, 1, True)] if n in (2, 5) else []
        assert store.raised(f"run {n}") == raised


@pytest.mark.parametrize("way", WAYS)
def test_a_run_goes_on_when_its_event_is_mended(store: BenchStore, way: str) -> None:
    store.set_clock(NOON)
    store.append_types(way, "RunStarted", "StepStarted")
    store.project_pending()
    store.append_types(way, "StepCompleted", "RunCompleted")
    store.spoil(way, 3)
    before = store.get_snapshot(way)
    assert before is not None
    assert store.project_pending() == 0
    assert store.get_snapshot(way) == {**before, "stale": True}
    store.mend(way, 3)
    store.set_clock("2026-03-01T12:00:10Z")
    WAYS[way](store)
    snapshot = store.get_snapshot(way)
    assert snapshot is not None
    assert _stands(snapshot) == (4, "COMPLETED", False)
    assert folded(snapshot) == store.replay_snapshot(way)
    assert store.raised(way) == [("PROJECTION_FAILED", 3, 1, False)]


def test_a_full_resync_that_fails_stops_before_the_damaged_event_until_it_is_mended(store: BenchStore) -> None:
    store.append_types("run-1", "RunStarted", "StepCompleted", "RunCompleted")
    before = store.project_snapshot("run-1")
    store.spoil("run-1", 2)
    assert _stands(store.resync_run("run-1")) == (1, "RUNNING", True)
    assert store.raised("run-1") == [("PROJECTION_FAILED", 2, 1, True)]
    store.mend("run-1", 2)
    assert folded(store.resync_run("run-1")) == folded(before)
    assert store.raised("run-1") == [("PROJECTION_FAILED", 2, 1, False)]


def test_a_parked_run_that_comes_as_far_as_a_gap_has_the_alert_of_the_gap_alone(shared: BenchStore) -> None:
    shared.append_types("both", "StepStarted", "StepCompleted", "RunStarted", "RunPaused")
    shared.spoil("both", 2)
    shared.project_snapshot("both")
    shared.mend("both", 2)
    shared.lose("both", 3)
    assert _stands(shared.project_snapshot("both")) == (2, "PENDING", True)
    assert shared.raised("both") == [("PROJECTION_FAILED", 2, 1, False), ("PROJECTOR_GAP_DETECTED", 3, 1, True)]


def test_no_alert_shows_what_a_payload_says(shared: BenchStore) -> None:
    secret = {"error": "very secret", "reason": "very secret"}
    sent = event("secrets", "a", eventType="StepFailed", payload=secret)
    shared.append_batch([sent, {**sent, "eventType": "StepSkipped"}, {**sent, "eventType": "StepCompleted"}])
    shared.append({**sent, "payload": {"error": "another"}})
    shared.project_snapshot("secrets")
    shared.changed(
        "UPDATE RUN_SNAPSHOTS SET SNAPSHOT_DATA = PARSE_JSON(?) WHERE RUN_ID = 'secrets'", '{"steps": "very secret"}'
    )
    shared.append_types("secrets", "RunStarted")
    shared.project_pending()
    assert {code for code, *_ in shared.raised("secrets")} == {
        "IDEMPOTENCY_CONFLICT",
        "INVALID_TRANSITION",
        "PROJECTION_FAILED",
    }
    assert "secret" not in repr(shared.sql("SELECT * FROM ALERTS WHERE RUN_ID = 'secrets'")).replace("'secrets'", "")


# Runs that are held up come back


def test_a_halted_run_is_looked_at_again_later_and_later(store: BenchStore) -> None:
    """Only a run that was tried has a new TRIED_AT."""
    store.set_clock(NOON)
    store.append_types("run-1", "RunStarted", "RunPaused", "RunResumed")
    store.lose("run-1", 2)
    store.project_pending()
    now = 12 * 3600
    for pause in (10, 20, 40, 80, 160, 320, 640, 1280, 2560, 3600, 3600):
        for second, is_tried in ((now + pause - 1, False), (now + pause, True)):
            clock = f"2026-03-01T{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}"
            store.set_clock(f"{clock}Z")
            assert store.project_pending() == 0
            [row] = store.sql("SELECT TRIED_AT FROM RUN_SNAPSHOTS")
            assert (row["tried_at"].isoformat() == f"{clock}+00:00") is is_tried
        now += pause


def test_new_events_do_not_make_the_projector_look_at_a_halted_run_earlier(store: BenchStore) -> None:
    store.set_clock(NOON)
    store.append_types("run-1", "RunStarted", "RunPaused", "RunResumed")
    store.lose("run-1", 2)
    assert store.project_pending() == 0
    store.append_types("run-1", "RunCompleted")
    store.bring_back("run-1", 2)
    assert store.project_pending() == 0
    store.set_clock("2026-03-01T12:00:10Z")
    assert store.project_pending() == 1
    assert _stands(store.get_snapshot("run-1")) == (4, "COMPLETED", False)


# Events that no rule allows


def test_a_refused_event_raises_one_alert_however_the_run_is_projected_again(shared: BenchStore) -> None:
    run = "refused"
    shared.append_types(run, "RunStarted", "RunResumed", "StepSkipped", "StepFailed", "RunCompleted")
    shared.project_snapshot(run)
    told = [("INVALID_TRANSITION", 2, 1, True), ("INVALID_TRANSITION", 4, 1, True)]
    assert shared.raised(run) == told
    for mode in ("FULL", "FROM_SNAPSHOT", "FULL"):
        shared.resync_run(run, mode)
        shared.project_snapshot(run)
        assert shared.raised(run) == told
    shared.append_types(run, "RunPaused")
    shared.resync_run(run, "FULL")
    assert shared.raised(run) == [*told, ("INVALID_TRANSITION", 6, 1, True)]


def test_a_resolved_alert_of_a_refused_event_is_not_opened_again(shared: BenchStore) -> None:
    run = "resolved"
    shared.append_types(run, "RunStarted", "RunPaused", "RunStarted", "RunResumed")
    shared.project_snapshot(run)
    [alert] = shared.sql("SELECT ALERT_ID FROM ALERTS WHERE RUN_ID = ?", run)
    shared.value("RESOLVE_ALERT", alert["alert_id"])
    shared.resync_run(run, "FULL")
    shared.lose(run, 2)
    shared.resync_run(run, "FULL")
    shared.bring_back(run, 2)
    shared.resync_run(run, "FULL")
    shared.project_snapshot(run)
    assert ("INVALID_TRANSITION", 3, 1, False) in shared.raised(run)
    assert [code for code, *_ in shared.raised(run)].count("INVALID_TRANSITION") == 1


def test_the_alert_of_a_refused_event_says_what_it_met(shared: BenchStore) -> None:
    shared.append_types("told", "StepCompleted", "StepFailed")
    shared.project_snapshot("told")
    [alert] = shared.alerts("told")
    [_, sent] = shared.fetch("told")
    assert alert == {
        "runId": "told",
        "code": "INVALID_TRANSITION",
        "runSeq": 2,
        "eventId": sent["event_id"],
        "count": 1,
        "details": {
            "eventType": "StepFailed",
            "stepId": "load",
            "logicalAttemptId": 1,
            "emittedAt": "2026-02-16T09:30:00.123456Z",
            "priorState": "SUCCESS",
            "attemptedState": "FAILED",
        },
    }


# The calls


def test_project_snapshot_answers_with_what_is_stored_and_writes_nothing_when_nothing_is_new(store: BenchStore) -> None:
    told = []
    for clock, event_types, mode in (
        ("12:00:00", ["RunStarted", "StepStarted", "StepCompleted"], None),
        ("12:00:01", [], None),
        ("12:00:01", ["Noted", "RunPaused"], None),
        ("12:00:02", [], "FULL"),
        ("12:00:03", [], "FROM_SNAPSHOT"),
    ):
        store.set_clock(f"2026-03-01T{clock}Z")
        if event_types:
            store.append_types("run-1", *event_types)
        answer = store.resync_run("run-1", mode) if mode else store.project_snapshot("run-1")
        assert answer == store.get_snapshot("run-1")
        [row] = store.sql("SELECT VERSION, UTC_TEXT(PROJECTED_AT) AS AT FROM RUN_SNAPSHOTS")
        assert row["at"] == answer["projectedAt"]
        told.append((row["version"], row["at"][11:19]))
    assert told == [(0, "12:00:00"), (0, "12:00:00"), (1, "12:00:01"), (2, "12:00:02"), (2, "12:00:02")]


def test_project_snapshot_projects_one_run_and_no_other(store: BenchStore) -> None:
    for run in ("run-1", "run-10", "run"):
        store.append_types(run, "RunStarted")
    store.project_snapshot("run-1")
    assert [row["run_id"] for row in store.sql("SELECT RUN_ID FROM RUN_SNAPSHOTS")] == ["run-1"]


def test_resync_run_makes_the_snapshot_anew_or_goes_on_from_it(shared: BenchStore) -> None:
    for run in ("absent", "null", "from"):
        shared.append_types(run, "RunStarted", "StepStarted")
        shared.project_snapshot(run)
    shared.changed(
        "UPDATE RUN_SNAPSHOTS SET SNAPSHOT_DATA = OBJECT_INSERT(SNAPSHOT_DATA, 'engineRunRef', PARSE_JSON(?)) "
        "WHERE RUN_ID IN ('absent', 'null', 'from')",
        '{"mark": 1}',
    )
    for run in ("absent", "null", "from"):
        shared.append_types(run, "StepCompleted")
    assert shared.resync_run("from", "FROM_SNAPSHOT")["engineRunRef"] == {"mark": 1}
    assert "engineRunRef" not in shared.value("RESYNC_RUN", "absent")
    assert "engineRunRef" not in shared.resync_run("null", None)
    assert "engineRunRef" not in shared.resync_run("from", "FULL")
    for run in ("absent", "null", "from"):
        assert shared.get_snapshot(run) == shared.project_snapshot(run)
        assert folded(shared.project_snapshot(run)) == shared.replay_snapshot(run)


@pytest.mark.parametrize("mode", ["FULL", "FROM_SNAPSHOT"])
def test_resync_run_projects_a_run_that_never_was(shared: BenchStore, mode: str) -> None:
    shared.append_types(f"new {mode}", "RunStarted", "StepStarted")
    assert _stands(shared.resync_run(f"new {mode}", mode)) == (2, "RUNNING", False)


@pytest.mark.parametrize("mode", ["full", "", "FULL ", "PARTIAL", "FROM SNAPSHOT"])
@pytest.mark.parametrize("run", ["known", "unknown"])
def test_resync_run_refuses_another_mode(shared: BenchStore, run: str, mode: str) -> None:
    shared.append_types("known", "RunStarted")
    with refused("RS010", field="mode", value=mode, expected="FULL or FROM_SNAPSHOT"):
        shared.resync_run(run, mode)
    assert shared.get_snapshot(run) is None


@pytest.mark.parametrize("run", ["no such run", "RUN-1", "run-1 ", "", None, "it's \"\\ $$ ; -- 😀\n"])
def test_an_unknown_run_is_refused_by_every_call_about_one(shared: BenchStore, run: str | None) -> None:
    shared.append_types("run-1", "RunStarted")
    for procedure, *more in (
        ("PROJECT_SNAPSHOT",),
        ("RESYNC_RUN", "FULL"),
        ("RESYNC_RUN", "FROM_SNAPSHOT"),
        ("REPLAY_SNAPSHOT", None),
        ("REPLAY_SNAPSHOT", 1),
        ("VERIFY_RUN",),
    ):
        with pytest.raises(Refusal) as caught:
            shared.call(procedure, run, *more)
        named = "NULL" if run is None else f'"{run}"'
        assert caught.value.told == {
            "message": f"RUN_NOT_FOUND: runId {named} is no run",
            "detail": {
                "code": "RS012",
                "field": "runId",
                **({} if run is None else {"value": run}),
                "expected": "the id of a run",
            },
            "hint": "Check the id; a run exists from its first event on.",
        }


@pytest.mark.parametrize("up_to_seq", [0, -1, -(2**63)])
def test_replay_snapshot_refuses_a_sequence_below_one(shared: BenchStore, up_to_seq: int) -> None:
    for run in ("run-1", "no such run"):
        with refused("RS010", field="upToSeq", value=str(up_to_seq), expected="a whole number from 1"):
            shared.replay_snapshot(run, up_to_seq)


def test_replay_snapshot_takes_a_sequence_past_the_end_for_all_of_the_log(shared: BenchStore) -> None:
    shared.append_types("whole", "RunStarted", "StepStarted", "StepCompleted", "RunCompleted")
    replayed = [shared.replay_snapshot("whole", up_to_seq) for up_to_seq in (4, 5, 2**63 - 1, None)]
    assert replayed == [shared.value("REPLAY_SNAPSHOT", "whole")] * 4
    assert replayed[0]["lastEventSeq"] == 4


def test_replay_snapshot_stops_before_a_gap_and_stores_nothing(store: BenchStore) -> None:
    for run in ("middle", "start", "end"):
        store.append_types(run, "RunStarted", "RunPaused", "RunResumed", "RunCompleted", "RunFailed")
    store.lose("middle", 3)
    store.lose("start", 1)
    store.lose("end", 3, 4, 5)
    before = store.contents(TABLES)
    for run, up_to_seq, stands in (
        ("middle", None, (2, "PAUSED")),
        ("middle", 4, (2, "PAUSED")),
        ("middle", 3, (2, "PAUSED")),
        ("middle", 2, (2, "PAUSED")),
        ("middle", 1, (1, "RUNNING")),
        ("start", None, (0, "PENDING")),
        ("start", 1, (0, "PENDING")),
        ("end", None, (2, "PAUSED")),
        ("end", 4, (2, "PAUSED")),
    ):
        replayed = store.replay_snapshot(run, up_to_seq)
        assert (replayed["lastEventSeq"], replayed["status"]) == stands
        assert replayed.keys().isdisjoint({"stale", "projectedAt"})
    assert store.contents(TABLES) == before


def test_replay_snapshot_reads_no_projection(shared: BenchStore) -> None:
    shared.append_types("pure", "RunStarted", "StepStarted", "StepCompleted")
    before = shared.replay_snapshot("pure")
    shared.project_snapshot("pure")
    for seq in (2, 100):
        shared.changed(
            "UPDATE RUN_SNAPSHOTS SET SNAPSHOT_DATA = PARSE_JSON('{}'), LAST_EVENT_SEQ = ? WHERE RUN_ID = 'pure'", seq
        )
        assert shared.replay_snapshot("pure") == before


def test_project_pending_answers_with_how_many_runs_it_brought_up_to_date(store: BenchStore) -> None:
    assert store.project_pending() == 0
    for n in range(1, 6):
        store.append_types(f"run {n}", "RunStarted", "StepStarted")
    assert store.project_pending() == 5
    assert store.project_pending() == 0
    store.append_types("run 2", "StepCompleted")
    store.append_types("run 6", "RunStarted")
    assert store.project_pending() == 2
    for n in range(1, 7):
        snapshot = store.get_snapshot(f"run {n}")
        assert snapshot is not None
        assert folded(snapshot) == store.replay_snapshot(f"run {n}")


def test_project_pending_takes_the_runs_in_the_order_of_their_last_events_and_no_more_than_told(
    store: BenchStore,
) -> None:
    for second, run in ((3, "third"), (1, "first"), (2, "second")):
        store.set_clock(f"2026-03-01T12:00:0{second}Z")
        store.append_types(run, "RunStarted")
    projected: list[str] = []
    for run in ("first", "second", "third"):
        assert store.project_pending(1) == 1
        projected.append(run)
        assert {row["run_id"] for row in store.sql("SELECT RUN_ID FROM RUN_SNAPSHOTS")} == set(projected)
    assert store.project_pending(1) == 0


def test_project_pending_takes_100_runs_unless_told_otherwise(store: BenchStore) -> None:
    store.append_batch([event(f"run {n}", "a") for n in range(210)])
    [absent] = store.call("PROJECT_PENDING")
    assert list(absent.values()) == [100]
    assert [store.project_pending(limit) for limit in (None, 10000, None)] == [100, 10, 0]


def test_project_pending_does_not_answer_zero_while_others_wait_behind_a_run_that_fails(store: BenchStore) -> None:
    store.set_clock(NOON)
    for n in range(3):
        store.append_types(f"broken {n}", "StepCompleted")
        store.spoil(f"broken {n}", 1)
    store.set_clock("2026-03-01T12:00:01Z")
    for n in range(2):
        store.append_types(f"run {n}", "RunStarted")
    assert [store.project_pending(1) for _ in range(3)] == [1, 1, 0]


@pytest.mark.parametrize("max_runs", [0, -1, 10001, 2**31 - 1])
def test_project_pending_refuses_a_limit_out_of_range(store: BenchStore, max_runs: int) -> None:
    store.append_types("run-1", "RunStarted")
    with refused("RS010", field="maxRuns", value=str(max_runs), expected="a whole number from 1 to 10000"):
        store.project_pending(max_runs)
    assert store.get_snapshot("run-1") is None


def test_nothing_is_projected_where_the_lock_has_no_row(store: BenchStore) -> None:
    store.append_types("run-1", "RunStarted")
    store.project_snapshot("run-1")
    store.append_types("run-1", "RunPaused")
    before = store.contents(TABLES)
    store.changed("DELETE FROM PROJECTION_LOCK")
    for procedure, *arguments in (("PROJECT_PENDING",), ("PROJECT_SNAPSHOT", "run-1"), ("RESYNC_RUN", "run-1", "FULL")):
        with pytest.raises(ProgrammingError, match="PROJECTION_LOCK has to hold one row, and does not"):
            store.call(procedure, *arguments)
    assert store.contents(TABLES) == before
    store.changed("INSERT INTO PROJECTION_LOCK (TIMES_TAKEN) SELECT 0")
    assert store.project_pending() == 1


def test_everything_that_projects_takes_the_lock_before_it_writes(store: BenchStore) -> None:
    store.append_types("run-1", "RunStarted")
    for procedure, *arguments in (("PROJECT_PENDING",), ("PROJECT_SNAPSHOT", "run-1"), ("RESYNC_RUN", "run-1", "FULL")):
        store.append_types("run-1", "Noted")
        store.bench.reset_log()
        store.call(procedure, *arguments)
        ran = [statement for statement in store.bench.statements if statement.kind not in ("CALL", "SELECT")]
        assert (ran[0].kind, ran[1].kind, ran[-1].kind) == ("BEGIN", "UPDATE", "COMMIT")
        assert "UPDATE PROJECTION_LOCK" in ran[1].text
        assert any("MERGE INTO RUN_SNAPSHOTS" in statement.text for statement in ran[2:])


def test_a_projection_that_fails_half_way_is_undone(store: BenchStore) -> None:
    store.append_types("run-1", "RunStarted")
    store.project_snapshot("run-1")
    store.append_types("run-1", "RunStarted", "RunPaused")
    before = store.contents(TABLES)
    store.sql("DROP TABLE ALERTS")
    with pytest.raises(ProgrammingError):
        store.project_snapshot("run-1")
    others = [table for table in TABLES if table != "ALERTS"]
    assert store.contents(others) == {table: before[table] for table in others}


def test_a_login_that_is_bound_projects_the_runs_of_its_tenants_only(store: BenchStore) -> None:
    for n in range(1, 5):
        store.append({**event(f"run-{n}", "a"), "tenantId": f"tenant-{n}"})
    for n in (2, 3):
        store.value("BIND_LOGIN", "WORKER", f"tenant-{n}")
    worker = store.session_of("WORKER")
    assert [worker.project_pending(), worker.project_pending(1)] == [2, 0]
    assert {row["run_id"] for row in store.sql("SELECT RUN_ID FROM RUN_SNAPSHOTS")} == {"run-2", "run-3"}
    for procedure in ("PROJECT_SNAPSHOT", "RESYNC_RUN", "REPLAY_SNAPSHOT", "VERIFY_RUN"):
        with refused("RS012", field="runId", value="run-1"):
            worker.call(procedure, "run-1")
    assert worker.get_snapshot("run-1") is None
    assert store.project_pending() == 2
    assert worker.get_snapshot("run-1") is None
