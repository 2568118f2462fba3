"""Every case of tests/conformance/snapshots.json: the projector's snapshot and alerts, and a replay."""

import json
from dataclasses import dataclass
from typing import Any

import pytest
from conformance import Case, as_text, load
from runstore import SnowflakeRunStore
from snowflake.connector import SnowflakeConnection

from live.account import Account, rows

CASES = load()
BATCH = 100


@dataclass(frozen=True)
class Projected:
    """A store in which every case is a run that has been projected."""

    store: SnowflakeRunStore
    session: SnowflakeConnection


@pytest.fixture(scope="module")
def projected(account: Account) -> Projected:
    """The account's store, with the events of all cases."""
    made = Projected(account.store(), account.connect())
    events = [event for case in CASES for event in case.events]
    for start in range(0, len(events), BATCH):
        made.store.append_events(events[start : start + BATCH])
    while next(iter(rows(made.session, "CALL PROJECT_PENDING(?)", 100)[0].values())):
        pass
    return made


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_snapshot_and_the_alerts_are_those_of_the_case(projected: Projected, case: Case) -> None:
    snapshot = projected.store.get_snapshot(case.run_id)
    assert snapshot is not None
    assert snapshot.pop("stale") is False
    assert snapshot.pop("projectedAt")
    assert as_text(snapshot) == as_text(case.snapshot)
    assert as_text(projected.store.replay_snapshot(case.run_id)) == as_text(case.snapshot)
    assert as_text(_alerts(projected.session, case.run_id)) == as_text(case.alerts)


def _alerts(session: SnowflakeConnection, run_id: str) -> list[dict[str, Any]]:
    query = "SELECT CODE, RUN_SEQ, DETAILS, COUNT FROM ALERTS WHERE RUN_ID = ? ORDER BY RUN_SEQ, CODE"
    told = []
    for alert in rows(session, query, run_id):
        assert alert["COUNT"] == 1
        details = json.loads(alert["DETAILS"])
        named = {
            name: details[name] for name in ("priorState", "attemptedState", "eventType", "stepId") if name in details
        }
        told.append({"code": alert["CODE"], "runSeq": alert["RUN_SEQ"], **named})
    return told
