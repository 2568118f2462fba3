"""Every case of the conformance file holds on PostgreSQL, however it is folded, and the cases leave out no rule."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from appends import Event, append
from conformance import Case, as_text, load
from model import RUN_EVENTS, STEP_EVENTS, Record, fold, stored
from runstore.embedded import Server
from support import Connection, cloned

CASES = load()
ALERTS = """
    select code, run_seq, details, count
      from runstore.alerts where run_id = %s and resolved_at is null order by run_seq, code
"""


@pytest.fixture(scope="module")
def asynchronous(server: Server, template: str) -> Iterator[Connection]:
    """A store that a projector follows, shared by all cases: each is a run of its own."""
    with cloned(server, template) as name, psycopg.connect(server.dsn(name), autocommit=True) as connection:
        yield connection


@pytest.fixture(scope="module")
def inline(server: Server, template: str) -> Iterator[Connection]:
    """A store that projects in the appending transaction, shared by all cases."""
    with cloned(server, template) as name, psycopg.connect(server.dsn(name), autocommit=True) as connection:
        connection.execute("select runstore.set_config_value('projection_mode', 'inline')")
        yield connection


@pytest.fixture(params=CASES, ids=lambda case: case.name)
def case(request: pytest.FixtureRequest) -> Case:
    """Each case of the file."""
    given: Case = request.param
    return given


@pytest.fixture
def logged(asynchronous: Connection, case: Case) -> Case:
    """The case, with its events in the log; sending them again for another test changes nothing."""
    for sent in case.events:
        append(asynchronous, sent)
    return case


def test_the_projector_makes_the_snapshot_and_the_alerts(asynchronous: Connection, logged: Case) -> None:
    while _one(asynchronous, "select runstore.project_pending()"):
        pass
    _check_stored(asynchronous, logged)


def test_a_replay_makes_the_snapshot(asynchronous: Connection, logged: Case) -> None:
    replayed = _one(asynchronous, "select runstore.replay_snapshot(%s)", logged.run_id)
    assert as_text(replayed) == as_text(logged.snapshot)


def test_inline_projection_makes_the_snapshot_and_the_alerts(inline: Connection, case: Case) -> None:
    for sent in case.events:
        append(inline, sent)
    _check_stored(inline, case)


def test_a_replay_up_to_any_event_is_the_fold_of_the_events_so_far(asynchronous: Connection, logged: Case) -> None:
    log = stored(logged.events)
    replayed = asynchronous.execute(
        "select runstore.replay_snapshot(%s, n) from generate_series(1, %s) as n order by n", [logged.run_id, len(log)]
    ).fetchall()
    assert as_text([snapshot for (snapshot,) in replayed]) == as_text(
        [fold(log[:n])[0] for n in range(1, len(log) + 1)]
    )


def test_the_model_makes_the_snapshot_and_the_alerts(case: Case) -> None:
    snapshot, refusals = fold(stored(case.events))
    assert as_text(snapshot) == as_text(case.snapshot)
    assert as_text(refusals) == as_text(case.alerts)


def test_every_case_has_a_name_and_a_run_of_its_own() -> None:
    assert len(CASES) >= 40
    for name in ("name", "run_id"):
        assert [value for value, n in Counter(getattr(case, name) for case in CASES).items() if n > 1] == []


def test_the_cases_hit_every_transition_and_every_refusal(asynchronous: Connection) -> None:
    rows = asynchronous.execute("select machine, from_status, event_type from runstore.transitions").fetchall()
    allowed = set(rows)
    every = {
        (machine, status, event_type)
        for machine, status, event_type in asynchronous.execute(
            "select machine, s.status, e.event_type from runstore.statuses as s join runstore.event_effects as e "
            "using (machine)"
        )
    }
    applied, refused = _judged(CASES)
    assert applied == allowed
    assert refused == every - allowed


def _judged(cases: list[Case]) -> tuple[set[tuple[str, str, str]], set[tuple[str, str, str]]]:
    """Return which events met which state of which machine: where they were applied, and where refused."""
    applied: set[tuple[str, str, str]] = set()
    refused: set[tuple[str, str, str]] = set()
    for case in cases:
        log = stored(case.events)
        refusals = {alert["runSeq"] for alert in case.alerts}
        for nth, record in enumerate(log):
            met = _state_before(log[:nth], record)
            if met:
                (refused if record["run_seq"] in refusals else applied).add((*met, record["event_type"]))
    return applied, refused


def _state_before(log: list[Record], record: Record) -> tuple[str, str] | None:
    """Return the machine that an event is for, and its state; None when the event moves none, or comes late."""
    before: dict[str, Any] = fold(log)[0] if log else {"status": "PENDING", "steps": []}
    if record["event_type"] in RUN_EVENTS:
        return "RUN", before["status"]
    if record["event_type"] not in STEP_EVENTS:
        return None
    for step in before["steps"]:
        if step["stepId"] == record["step_id"]:
            if record["logical_attempt_id"] < step["logicalAttemptId"]:
                return None
            if record["logical_attempt_id"] == step["logicalAttemptId"]:
                return "STEP", step["status"]
    return "STEP", "PENDING"


def _check_stored(connection: Connection, case: Case) -> None:
    snapshot: Event = _one(connection, "select runstore.get_snapshot(%s)", case.run_id)
    assert snapshot.pop("stale") is False
    assert snapshot.pop("projectedAt")
    assert as_text(snapshot) == as_text(case.snapshot)

    told = []
    for code, run_seq, details, count in connection.execute(ALERTS, [case.run_id]):
        assert count == 1
        named = {
            name: details[name] for name in ("priorState", "attemptedState", "eventType", "stepId") if name in details
        }
        told.append({"code": code, "runSeq": run_seq, **named})
    assert as_text(told) == as_text(case.alerts)


def _one(connection: Connection, query: str, *arguments: Any) -> Any:
    row = connection.execute(query, arguments).fetchone()
    assert row
    return row[0]
