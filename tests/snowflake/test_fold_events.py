"""FOLD_EVENTS gives what PostgreSQL and the model give, whole and in chunks, whatever the events hold."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any

import psycopg
import pytest
from appends import Event, append_batch, event
from conformance import Case, as_text, load
from hypothesis import given
from hypothesis import strategies as st
from javascript import Function
from model import Record, fold, stored, utc_text
from psycopg.rows import dict_row
from runstore.embedded import Server
from support import Connection, cloned
from test_fold_property import RUNS, deterministic, events

CASES = load()
IDENTITY = {"runId": "run-1", "tenantId": "tenant", "projectId": "project", "environmentId": "environment"}
HOSTILE = ["__proto__", "constructor", "toString", "hasOwnProperty", "run", "RUN ", "0", "", " ", 'é"\\\n', "$$", "😀"]
ALERTS = "select run_seq, event_id::text, details from runstore.alerts where run_id = %s order by run_seq"

State = dict[str, Any]

fold_events = Function("project/fold_events.sql")
instants = st.datetimes(min_value=datetime(1, 1, 1), max_value=datetime(9999, 12, 31, 23, 59, 59, 999999))


@pytest.fixture(params=CASES, ids=lambda case: case.name)
def case(request: pytest.FixtureRequest) -> Case:
    """Each case of the conformance file."""
    given_case: Case = request.param
    return given_case


@pytest.fixture(scope="module")
def session(server: Server, template: str) -> Iterator[Connection]:
    """A session whose transaction is rolled back after each example."""
    with cloned(server, template) as name, psycopg.connect(server.dsn(name)) as connection:
        connection.execute("select runstore.set_config_value('max_signals_per_minute', '1000')")
        connection.commit()
        yield connection


def test_a_case_folds_to_its_snapshot_and_its_refusals(case: Case) -> None:
    sent = _foldable(stored(case.events))
    after = _folded(_begun(case.snapshot), sent)
    assert as_text(after["snapshot"]) == as_text(case.snapshot)
    assert as_text(_alerts(after["refusals"])) == as_text(case.alerts)


def test_a_case_folds_one_event_at_a_time_as_the_model_does(case: Case) -> None:
    log = stored(case.events)
    state, refusals = _begun(case.snapshot), []
    for nth, one in enumerate(_foldable(log), 1):
        state = _folded(state, [one])
        refusals += state["refusals"]
        assert as_text(state["snapshot"]) == as_text(fold(log[:nth])[0])
    assert as_text(_alerts(refusals)) == as_text(case.alerts)


@deterministic
@given(chosen=st.sampled_from(CASES), data=st.data())
def test_a_case_folds_alike_however_it_is_cut(chosen: Case, data: st.DataObject) -> None:
    _check_cut(_begun(chosen.snapshot), _foldable(stored(chosen.events)), data)


@deterministic
@given(drawn=st.lists(events, min_size=1, max_size=60), data=st.data())
def test_any_log_folds_as_postgresql_folds_it(session: Connection, drawn: list[Event], data: st.DataObject) -> None:
    session.rollback()  # the last example
    append_batch(session, [{**one, "idempotencyKey": f"{nth:064x}"} for nth, one in enumerate(drawn)])
    for run in RUNS:
        with session.cursor(row_factory=dict_row) as cursor:
            log = cursor.execute("select * from runstore.fetch_events(%s)", [run]).fetchall()
        if not log:
            continue
        begun = _begun({**IDENTITY, "runId": run})
        after = _folded(begun, _foldable(log))
        session.execute("select runstore.project_snapshot(%s)", [run])
        replayed = session.execute("select runstore.replay_snapshot(%s)", [run]).fetchall()
        assert as_text([after["snapshot"]]) == as_text([snapshot for (snapshot,) in replayed])

        told = [
            {"runSeq": run_seq, "eventId": event_id, **details}
            for run_seq, event_id, details in session.execute(ALERTS, [run])
        ]
        assert as_text(after["refusals"]) == as_text(told)
        _check_cut(begun, _foldable(log), data)


def test_events_that_the_snapshot_knows_are_skipped() -> None:
    log = _foldable(stored([_write("a"), _write("b", eventType="StepFailed"), _write("c")]))
    state = _folded(_begun(IDENTITY), log[:2])
    assert as_text(_folded(state, log)) == as_text(_folded(state, log[2:]))
    assert as_text(_folded(state, log[:2])) == as_text(state)


def test_nothing_folded_leaves_a_run_where_it_stands() -> None:
    state = _folded(_begun(IDENTITY), _foldable(stored([_write("a"), _ended()])))
    assert as_text(_folded(state, [])) == as_text(state)
    assert as_text(_folded(state, None)) == as_text(state)


@pytest.mark.parametrize("begun", [None, {}, {"snapshot": {}}, {"snapshot": IDENTITY}, {"snapshot": None}])
def test_a_run_begins_with_as_much_of_its_identity_as_is_given(begun: State | None) -> None:
    identity = (begun or {}).get("snapshot") or {}
    assert _folded(begun, []) == {
        "snapshot": {
            **identity,
            "status": "PENDING",
            "lastEventSeq": 0,
            "steps": [],
            "artifacts": [],
            "failedSteps": 0,
            "consistency": "CONSISTENT",
        },
        "runArtifacts": [],
        "refusals": [],
    }


def test_a_null_variant_is_where_a_run_begins() -> None:
    assert as_text(fold_events.on_text("null", "[]")) == as_text(_folded(None, []))


@pytest.mark.parametrize(
    ("missing", "gap"),
    [
        ({1}, {"lastSeq": 0, "nextSeq": 2}),
        ({3}, {"lastSeq": 2, "nextSeq": 4}),
        ({3, 4}, {"lastSeq": 2, "nextSeq": 5}),
        ({2, 4}, {"lastSeq": 1, "nextSeq": 3}),
        ({5}, None),
    ],
)
def test_a_gap_stops_the_fold_before_it(missing: set[int], gap: dict[str, int] | None) -> None:
    log = stored(_write(f"step-{nth}") for nth in range(5))
    present = _foldable([record for record in log if record["run_seq"] not in missing])
    after = _folded(_begun(IDENTITY), present)
    assert after.pop("gap", None) == gap
    assert as_text(after) == as_text(_folded(_begun(IDENTITY), _foldable(log[: min(missing) - 1])))


def test_a_fold_goes_on_when_the_gap_has_closed() -> None:
    log = _foldable(stored(_write(f"step-{nth}") for nth in range(5)))
    halted = _folded(_begun(IDENTITY), log[:2] + log[3:])
    assert halted["gap"] == {"lastSeq": 2, "nextSeq": 4}
    assert as_text(_folded(halted, log[2:])) == as_text(_folded(_begun(IDENTITY), log))


def test_hostile_step_ids_are_steps_like_any_other() -> None:
    kinds = ("StepStarted", "StepFailed", "StepStarted", "StepCompleted")
    log = stored(
        _write(step, eventType=kind, logicalAttemptId=1 + nth // 2)
        for nth, kind in enumerate(kinds)
        for step in HOSTILE
    )
    log = [{**record, "step_id": step} for record, step in zip(log, HOSTILE * len(kinds), strict=True)]
    snapshot = _in_pieces(_begun(IDENTITY), _foldable(log), 5)["snapshot"]
    assert [step["stepId"] for step in snapshot["steps"]] == HOSTILE
    assert as_text(snapshot) == as_text(fold(log)[0])


@pytest.mark.parametrize("event_type", ["__proto__", "constructor", "toString", "", "stepstarted", "Unknown"])
def test_a_type_without_rules_only_moves_the_watermark(event_type: str) -> None:
    log = stored([_write("a")])
    unknown = {**log[0], "run_seq": 2, "event_type": event_type}
    after = _folded(_begun(IDENTITY), _foldable([*log, unknown]))
    assert after["refusals"] == []
    assert as_text({**after["snapshot"], "lastEventSeq": 1}) == as_text(fold(log)[0])


@deterministic
@given(started=instants, completed=instants, is_near=st.booleans(), micros=st.integers(-3000, 3000))
def test_a_duration_is_whole_milliseconds_to_the_microsecond(
    started: datetime, completed: datetime, is_near: bool, micros: int
) -> None:
    if is_near and datetime(2, 1, 1) < started < datetime(9999, 1, 1):
        completed = started + timedelta(microseconds=micros)
    assert _duration(started, completed) == max(0, (completed - started) // timedelta(milliseconds=1))


def test_a_duration_can_be_as_long_as_time() -> None:
    first, last = datetime(1, 1, 1), datetime(9999, 12, 31, 23, 59, 59, 999999)
    assert _duration(first, last) == 315537897599999
    assert _duration(first + timedelta(microseconds=1), last - timedelta(microseconds=999)) == 315537897599998
    assert _duration(last, first) == 0


@pytest.mark.parametrize("refs", [None, "x", 1, True, {}, {"length": 2}])
def test_artifact_references_that_are_no_array_count_as_none(refs: Any) -> None:
    log = _foldable(stored([_write("a"), _ended()]))
    after = _folded(_begun(IDENTITY), [{**one, "artifactRefs": refs} for one in log])
    assert after["snapshot"]["steps"][0]["artifacts"] == []
    assert after["snapshot"]["artifacts"] == []
    assert after["runArtifacts"] == []


def test_an_event_without_a_time_leaves_none_behind() -> None:
    log = _foldable(stored([_run_event("RunStarted"), _write("a"), _ended()]))
    snapshot = _folded(_begun(IDENTITY), [{**one, "emittedAt": None} for one in log])["snapshot"]
    assert snapshot["status"] == "COMPLETED"
    for owner in (snapshot, snapshot["steps"][0]):
        assert not {"startedAt", "completedAt", "totalDurationMs"} & owner.keys()


def test_absent_members_and_nulls_are_the_same() -> None:
    log = _foldable(stored([_run_event("RunStarted"), _write("a", eventType="StepFailed"), _ended()]))
    sparse = [{name: value for name, value in one.items() if value is not None} for one in log]
    assert sparse != log
    assert as_text(_folded(_begun(IDENTITY), sparse)) == as_text(_folded(_begun(IDENTITY), log))


def test_a_step_event_without_a_step_stops_the_fold_before_it() -> None:
    log = _foldable(stored(_write(f"step-{nth}") for nth in range(3)))
    after = fold_events(_begun(IDENTITY), [log[0], {**log[1], "stepId": None}, log[2]])
    assert after.pop("failure") == "StepCompleted names no step"
    assert as_text(after) == as_text(_folded(_begun(IDENTITY), log[:1]))


def test_a_damaged_state_comes_back_as_it_is_with_what_failed() -> None:
    damaged = {"snapshot": {**IDENTITY, "lastEventSeq": 1, "steps": 1}, "runArtifacts": []}
    after = fold_events(damaged, _foldable(stored([_write("a")])))
    assert after.pop("failure")
    assert after == {**damaged, "refusals": []}


def test_a_hundred_thousand_events_fold_in_chunks_as_the_model_folds_them() -> None:
    log = [
        _record(nth, f"step-{nth % 20000}", ("StepStarted", "StepFailed", "StepCompleted")[nth % 3], 1 + nth // 40000)
        for nth in range(100_000)
    ]
    expected, refusals = fold(log)
    sent = _foldable(log)
    state, told = _begun(IDENTITY), 0
    for begin in range(0, len(sent), 10_000):
        state = _folded(state, sent[begin : begin + 10_000])
        told += len(state["refusals"])
    assert len(expected["steps"]) == 20000
    assert told == len(refusals) > 0
    assert as_text(state["snapshot"]) == as_text(expected)
    assert as_text(_folded(_begun(IDENTITY), sent)["snapshot"]) == as_text(expected)


def _folded(state: State | None, sent: Sequence[Event] | None) -> State:
    """Return the state after these events, which can be folded."""
    after: State = fold_events(state, sent)
    assert "failure" not in after
    return after


def _in_pieces(state: State, sent: Sequence[Event], size: int) -> State:
    for begin in range(0, len(sent), size):
        state = _folded(state, sent[begin : begin + size])
    return state


def _check_cut(begun: State, sent: list[Event], data: st.DataObject) -> None:
    """Fold in chunks, which may overlap, and compare with the fold of the whole."""
    whole = _folded(begun, sent)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(sent)), max_size=6)))
    overlap = data.draw(st.integers(0, 3))
    state, refusals = begun, []
    for begin, end in zip([0, *cuts], [*cuts, len(sent)], strict=True):
        state = _folded(state, sent[max(0, begin - overlap) : end])
        refusals += state["refusals"]
    assert as_text({**state, "refusals": refusals}) == as_text(whole)


def _begun(identity: dict[str, Any]) -> State:
    """Return the state of a run that was never folded."""
    return {"snapshot": {name: identity[name] for name in IDENTITY}}


def _foldable(log: Sequence[Record]) -> list[Event]:
    """Return stored events as FOLD_EVENTS takes them."""
    return [
        {
            "runSeq": record["run_seq"],
            "eventId": str(record["event_id"]) if "event_id" in record else None,
            "eventType": record["event_type"],
            "stepId": record["step_id"],
            "engineAttemptId": record["engine_attempt_id"],
            "logicalAttemptId": record["logical_attempt_id"],
            "emittedAt": utc_text(record["emitted_at"]),
            "engineRunRef": record["engine_run_ref"],
            **{name: (record["payload"] or {}).get(name) for name in ("artifactRefs", "error", "reason")},
        }
        for record in log
    ]


def _alerts(refusals: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return refusals as the conformance file tells them."""
    names = ("runSeq", "priorState", "attemptedState", "eventType", "stepId")
    return [
        {"code": "INVALID_TRANSITION", **{name: refusal[name] for name in names if name in refusal}}
        for refusal in refusals
    ]


def _duration(started: datetime, completed: datetime) -> Any:
    log = _foldable(stored([_run_event("RunStarted"), _ended()]))
    times = (f"{instant.isoformat(timespec='microseconds')}Z" for instant in (started, completed))
    sent = [{**one, "emittedAt": time} for one, time in zip(log, times, strict=True)]
    return _folded(_begun(IDENTITY), sent)["snapshot"]["totalDurationMs"]


def _write(step: str, **fields: Any) -> Event:
    refs = [{"uri": f"s3://{step}", "kind": "log"}]
    return event("run-1", step, payload={"artifactRefs": refs, "error": {"no": None}}, **fields)


def _run_event(event_type: str, **fields: Any) -> Event:
    return {**_write("", eventType=event_type, **fields), "stepId": None}


def _ended() -> Event:
    return _run_event("RunCompleted", emittedAt="2026-02-16T10:00:00Z")


def _record(nth: int, step: str, event_type: str, attempt: int) -> Record:
    (record,) = stored([_write(step, eventType=event_type, logicalAttemptId=attempt)])
    return {**record, "run_seq": nth + 1}
