"""Any log folds to the snapshot and the alerts of the model, however it is cut; each rule is the row that says it."""

import hashlib
import json
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from appends import Event, append, append_batch, event
from conformance import as_text
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from model import RUN_EVENTS, STEP_EVENTS, Record, Refusal, fold, stored
from psycopg.rows import dict_row
from support import Connect, Connection

RUNS = ["run-1", "run-2", "run-3"]

deterministic = settings(
    max_examples=120,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate, Phase.shrink],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)

# Few steps and attempts, and one run more than the others, so that events meet.
KINDS = [
    *[(kind, None) for kind in (*RUN_EVENTS, *("RunStarted", "RunPaused", "RunResumed") * 2)],
    *[(kind, step) for kind in STEP_EVENTS for step in ("a", "a", "a", "2", "10")],
    *[("SignalAccepted", None), ("SignalRejected", "a"), ("Unknown", None), ("Unknown", "c")],
]
EMITTED = [
    "2026-02-16T09:30:00Z",
    "2026-02-16T09:30:00.000999Z",
    "2026-02-16T09:30:00.001Z",
    "2026-02-16T10:29:59.999999+01:00",
    "2026-03-29T02:30:00-05:45",
    "2024-02-29T23:59:59.5Z",
    "0001-01-01T00:00:00Z",
    "9999-12-31T23:59:59.999999Z",
]
ARTIFACTS = [{"uri": f"s3://{n}", "kind": "log"} for n in range(3)]
anything = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-3, 3), st.sampled_from(["", "x", 'é"\\\n'])),
    lambda inner: st.one_of(st.lists(inner, max_size=2), st.dictionaries(st.sampled_from("ab"), inner, max_size=2)),
    max_leaves=4,
)
payloads = st.one_of(
    st.none(),
    st.fixed_dictionaries(
        {},
        optional={
            "artifactRefs": st.lists(st.sampled_from(ARTIFACTS), max_size=2),
            "error": anything,
            "reason": anything,
            "other": anything,
        },
    ),
)
events = st.builds(
    lambda run, kind, **fields: {**event(run, kind[1], eventType=kind[0]), **fields},
    run=st.sampled_from([*RUNS, RUNS[0], RUNS[0]]),
    kind=st.sampled_from(KINDS),
    logicalAttemptId=st.sampled_from([1, 1, 1, 2, 2, 3]),
    engineAttemptId=st.sampled_from([1, 2, 3, 10, 2147483647]),
    emittedAt=st.sampled_from(EMITTED),
    payload=payloads,
    engineRunRef=st.sampled_from([None, None, {}, {"id": 1}, {"id": None}]),
)
projections = st.one_of(
    st.none(),
    st.tuples(st.just("project_pending"), st.integers(1, len(RUNS))),
    st.tuples(st.sampled_from(["project_snapshot", "FULL", "FROM_SNAPSHOT"]), st.sampled_from(RUNS)),
)
stretches = st.tuples(st.lists(events, min_size=2, max_size=8), st.booleans(), projections)


@pytest.fixture
def session(connect: Connect) -> Iterator[Connection]:
    """A session whose transaction is rolled back after each example."""
    connection = connect(autocommit=False, options="-c timezone=UTC")
    yield connection
    connection.rollback()


@pytest.mark.parametrize("mode", ["async", "inline"])
@deterministic
@given(script=st.lists(stretches, min_size=6, max_size=14), data=st.data())
def test_any_way_to_fold_a_log_gives_what_the_model_gives(
    session: Connection,
    mode: str,
    script: list[tuple[list[Event], bool, tuple[str, Any] | None]],
    data: st.DataObject,
) -> None:
    _begin(session, projection_mode=mode)
    try:
        for nth, (drawn, is_batch, projection) in enumerate(script):
            sent = [_with_own_key(one, nth, index) for index, one in enumerate(drawn)]
            if is_batch:
                append_batch(session, sent)
            else:
                for one in sent:
                    append(session, one)
            if mode == "inline":
                _check_projected(session, {one["runId"] for one in sent})
            if projection:
                _project(session, *projection)
        while _one(session, "select runstore.project_pending(2)"):
            pass
        for run in RUNS:
            log = _log(session, run)
            if not log:
                continue
            up_to = data.draw(st.integers(1, len(log) + 1))
            snapshot, refusals = fold(log)
            assert as_text(_stored(session, run)) == as_text(snapshot)
            assert as_text(_one(session, "select runstore.replay_snapshot(%s)", run)) == as_text(snapshot)
            replayed = _one(session, "select runstore.replay_snapshot(%s, %s)", run, up_to)
            assert as_text(replayed) == as_text(fold(log[:up_to])[0])
            assert as_text(_refusals(session, run)) == as_text(refusals)
            _check_resync(session, run)
    finally:
        session.rollback()


@deterministic
@given(script=st.lists(st.lists(events, min_size=1, max_size=3), min_size=6, max_size=20))
def test_enforced_transitions_refuse_what_the_model_refuses(session: Connection, script: list[list[Event]]) -> None:
    _begin(session, projection_mode="inline", enforce_transitions="true")
    try:
        log: list[Event] = []
        for nth, batch in enumerate(script):
            sent = [_with_own_key(one, nth, index) for index, one in enumerate(batch)]
            refused = _first_refused(log, sent)
            try:
                with session.transaction():
                    append_batch(session, sent)
                told = None
            except psycopg.Error as error:
                assert error.sqlstate == "RS004"
                told = json.loads(error.diag.message_detail or "{}")["index"]
            assert told == refused
            if refused is None:
                log += sent
        assert _one(session, "select count(*) from runstore.alerts") == 0
        for run in {sent["runId"] for sent in log}:
            snapshot, _ = fold(stored(sent for sent in log if sent["runId"] == run))
            assert as_text(_stored(session, run)) == as_text(snapshot)
    finally:
        session.rollback()


def test_every_event_does_to_every_state_what_its_row_of_transitions_says(session: Connection) -> None:
    """Each state is reached along the rows; the event comes in the same fold, and as the first of the next one."""
    rows = _transitions(session)
    effects = session.execute("select machine, event_type, target_status from runstore.event_effects").fetchall()
    statuses = session.execute("select machine, status from runstore.statuses").fetchall()
    pairs = [
        (machine, status, event_type, target)
        for machine, event_type, target in effects
        for owner, status in statuses
        if owner == machine
    ]
    assert len(pairs) == 7 * 8 + 5 * 4
    assert {(machine, event_type) for machine, event_type, _ in effects} == {row[:2] for row in rows}

    for machine, status, event_type, target in pairs:
        to_status = rows.get((machine, event_type, status))
        path = _path(rows, machine, status)
        for projects_before in (False, True):
            run = f"{machine} {status} {event_type} {projects_before}"
            for nth, kind in enumerate([*path, event_type]):
                if projects_before and nth == len(path) > 0:
                    session.execute("select runstore.project_snapshot(%s)", [run])
                sent = event(run, "a", eventType=kind, **({} if machine == "STEP" else {"stepId": None}))
                append(session, _with_own_key(sent, nth))
            projected = _one(session, "select runstore.project_snapshot(%s)", run)
            replayed = _one(session, "select runstore.replay_snapshot(%s)", run)
            for snapshot in (projected, replayed):
                reached = snapshot["steps"][0]["status"] if machine == "STEP" else snapshot["status"]
                assert (run, reached) == (run, to_status or status)
                assert snapshot["consistency"] == ("CONSISTENT" if to_status else "INCONSISTENT")
            told = [(one["runSeq"], one["priorState"], one["attemptedState"]) for one in _refusals(session, run)]
            assert (run, told) == (run, [] if to_status else [(len(path) + 1, status, target)])


def test_the_letters_of_event_effects_say_what_the_rows_of_transitions_say(session: Connection) -> None:
    letters = {
        (machine, status): code
        for machine, status, code in session.execute("select machine, status, code from runstore.statuses")
    }
    rows = _transitions(session)
    effects = session.execute("select event_type, machine, from_codes, to_codes from runstore.event_effects").fetchall()
    assert len(effects) == len(RUN_EVENTS) + len(STEP_EVENTS)
    for event_type, machine, from_codes, to_codes in effects:
        expected = {}
        for (owner, status), code in letters.items():
            if owner == machine:
                to_status = rows.get((machine, event_type, status))
                outcome = letters[machine, to_status] if to_status else code.lower()
                expected[code] = expected[code.lower()] = outcome
        assert (event_type, dict(zip(from_codes, to_codes, strict=True))) == (event_type, expected)


def test_the_rows_of_transitions_say_what_the_model_says(session: Connection) -> None:
    by_model = {
        (machine, event_type, status)
        for machine, rules in (("RUN", RUN_EVENTS), ("STEP", STEP_EVENTS))
        for event_type, (allowed, _) in rules.items()
        for status in allowed
    }
    assert set(_transitions(session)) == by_model


def _begin(session: Connection, **config: str) -> None:
    for key, value in {"max_signals_per_minute": "1000", **config}.items():
        session.execute("select runstore.set_config_value(%s, %s)", [key, value])


def _project(session: Connection, projection: str, subject: Any) -> None:
    if projection == "project_pending":
        session.execute("select runstore.project_pending(%s)", [subject])
    elif _log(session, subject):
        if projection == "project_snapshot":
            session.execute("select runstore.project_snapshot(%s)", [subject])
        else:
            session.execute("select runstore.resync_run(%s, %s)", [subject, projection])
        _check_projected(session, {subject})


def _check_projected(session: Connection, runs: set[str]) -> None:
    for run in runs:
        snapshot, refusals = fold(_log(session, run))
        assert as_text(_stored(session, run)) == as_text(snapshot)
        assert as_text(_refusals(session, run)) == as_text(refusals)


def _check_resync(session: Connection, run: str) -> None:
    alerts = "select * from runstore.alerts where run_id = %s order by alert_id"
    snapshot, raised = _stored(session, run), session.execute(alerts, [run]).fetchall()
    for mode in ("FULL", "FROM_SNAPSHOT"):
        answer = _one(session, "select runstore.resync_run(%s, %s)", run, mode)
        assert as_text(_without_projection(answer)) == as_text(snapshot)
        assert as_text(_stored(session, run)) == as_text(snapshot)
        assert session.execute(alerts, [run]).fetchall() == raised


def _first_refused(log: list[Event], batch: list[Event]) -> int | None:
    """Return the lowest index in the batch that the model refuses after this log."""
    refused = []
    for run in {sent["runId"] for sent in batch}:
        before = [sent for sent in log if sent["runId"] == run]
        indexes = [index for index, sent in enumerate(batch) if sent["runId"] == run]
        _, refusals = fold(stored([*before, *(batch[index] for index in indexes)]))
        refused += [indexes[refusal["runSeq"] - len(before) - 1] for refusal in refusals]
    return min(refused, default=None)


def _path(rows: dict[tuple[str, str, str], str], machine: str, status: str) -> list[str]:
    """Return the shortest series of events that takes a machine to a state."""
    paths: dict[str, list[str]] = {"PENDING": []}
    queue = ["PENDING"]
    while status not in paths:
        reached = queue.pop(0)
        for (owner, event_type, from_status), to_status in rows.items():
            if (owner, from_status) == (machine, reached) and to_status not in paths:
                paths[to_status] = [*paths[reached], event_type]
                queue.append(to_status)
    return paths[status]


def _transitions(session: Connection) -> dict[tuple[str, str, str], str]:
    rows = session.execute(
        "select machine, event_type, from_status, to_status from runstore.transitions order by 1, 2, 3"
    )
    return {(machine, event_type, from_status): to_status for machine, event_type, from_status, to_status in rows}


def _with_own_key(sent: Event, *place: int) -> Event:
    return {**sent, "idempotencyKey": hashlib.sha256(repr(place).encode()).hexdigest()}


def _log(session: Connection, run: str) -> list[Record]:
    with session.cursor(row_factory=dict_row) as cursor:
        return cursor.execute("select * from runstore.fetch_events(%s)", [run]).fetchall()


def _stored(session: Connection, run: str) -> dict[str, Any]:
    return _without_projection(_one(session, "select runstore.get_snapshot(%s)", run))


def _without_projection(snapshot: dict[str, Any]) -> dict[str, Any]:
    assert snapshot.pop("stale") is False
    assert snapshot.pop("projectedAt")
    return snapshot


def _refusals(session: Connection, run: str) -> list[Refusal]:
    names = ("priorState", "attemptedState", "eventType", "stepId")
    told = []
    for code, run_seq, count, details in session.execute(
        "select code, run_seq, count, details from runstore.alerts where run_id = %s order by run_seq", [run]
    ):
        assert count == 1
        told.append({"code": code, "runSeq": run_seq, **{name: details[name] for name in names if name in details}})
    return told


def _one(session: Connection, query: str, *arguments: Any) -> Any:
    row = session.execute(query, arguments).fetchone()
    assert row
    return row[0]
