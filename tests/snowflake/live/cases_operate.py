"""The procedures of an operator, each called once: a body's names are looked up when it is called, not before."""

import json
from typing import Any
from uuid import uuid4

import pytest
from runstore import errors
from snowflake.connector import SnowflakeConnection
from stores import write

from live.account import Account, rows


@pytest.fixture
def run() -> str:
    """A run that no other case has."""
    return f"run-{uuid4()}"


def test_a_conflict_is_listed_acknowledged_and_resolved(account: Account, run: str) -> None:
    store, session = account.store(), account.connect()
    store.append_event(write(run, "a", payload={"n": 1}))
    store.append_event(write(run, "a", payload={"n": 2}))
    (alert,) = _alerts(session, run)
    assert (alert["CODE"], alert["SEVERITY"], json.loads(alert["DETAILS"])["differs"]) == (
        "IDEMPOTENCY_CONFLICT",
        "P3",
        ["payload"],
    )
    rows(session, "CALL ACK_ALERT(?)", alert["ALERT_ID"])
    assert _alerts(session, run)[0]["ACKNOWLEDGED_AT"] is not None
    rows(session, "CALL RESOLVE_ALERT(?)", alert["ALERT_ID"])
    assert _alerts(session, run) == []


def test_a_run_is_listed_verified_and_made_anew(account: Account, run: str) -> None:
    store, session = account.store(), account.connect()
    store.append_events([write(run), write(run, "a"), write(run, "b", event_type="StepFailed")])
    snapshot = store.project_snapshot(run)
    assert [each.run_id for each in store.list_runs("tenant", "RUNNING") if each.run_id == run] == [run]
    assert rows(session, "CALL VERIFY_RUN(?)", run) == []
    again = json.loads(_value(session, "CALL RESYNC_RUN(?, ?)", run, "FULL"))
    assert {**again, "projectedAt": ""} == {**snapshot, "projectedAt": ""}


def test_an_archived_run_can_be_read_and_takes_nothing_more(account: Account, run: str) -> None:
    store, session = account.store(), account.connect()
    store.append_events([write(run), write(run, "a"), write(run, event_type="RunCompleted")])
    snapshot, log = store.project_snapshot(run), store.fetch_events(run)
    while _value(session, "CALL ARCHIVE_RUNS(?, ?)", 0, 1000):
        pass
    assert rows(session, "SELECT COUNT(*) AS N FROM RUN_EVENTS WHERE RUN_ID = ?", run) == [{"N": 0}]
    assert (store.get_snapshot(run), store.fetch_events(run)) == (snapshot, log)
    assert rows(session, "CALL VERIFY_RUN(?)", run) == []
    assert store.append_event(write(run, "a")).idempotent
    with pytest.raises(errors.RunArchived):
        store.append_event(write(run, "late"))


def _alerts(session: SnowflakeConnection, run_id: str) -> list[dict[str, Any]]:
    return [each for each in rows(session, "CALL LIST_ALERTS(?, ?)", True, 10000) if each["RUN_ID"] == run_id]


def _value(session: SnowflakeConnection, statement: str, *parameters: Any) -> Any:
    return next(iter(rows(session, statement, *parameters)[0].values()))
