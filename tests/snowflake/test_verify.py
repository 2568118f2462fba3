"""VERIFY_RUN: a sound run has no findings, and each kind of damage has its own."""

from collections.abc import Callable
from typing import Any

import pytest
from append_rules import Refusal
from appends import event, key_of
from bench_stores import TABLES, BenchStore, refused
from projections import ARTIFACTS, run_event

NOON = "2026-03-01T12:00:00Z"
Damage = Callable[[BenchStore, str], Any]
Finding = tuple[str, str, int, dict[str, Any]]


def _step(run: str, step: str, **fields: Any) -> dict[str, Any]:
    return event(run, step, eventType="StepStarted", **fields)


def _sound(store: BenchStore, run: str) -> None:
    """Append a run of six events and project it up to its fifth."""
    store.set_clock(NOON)
    started = run_event(run, "RunStarted", engineRunRef={"id": 1})
    completed = event(run, "a", payload={"artifactRefs": ARTIFACTS, "n": 1.5})
    store.append_batch([started, _step(run, "a"), completed])
    store.set_clock("2026-03-01T12:00:01Z")
    store.append_batch([_step(run, "b"), _step(run, "ü \U0001f389")])
    store.project_snapshot(run)
    store.append(run_event(run, "RunCompleted"))


def _found(store: BenchStore, run: str) -> list[Finding]:
    """Return the findings."""
    return [(row["finding"], row["severity"], row["run_seq"], row["details"]) for row in store.verify_run(run)]


def _update(table: str, change: str, seq: int | None = None) -> Damage:
    """Return the damage that changes a row of a run."""
    place = "" if seq is None else f" AND RUN_SEQ = {seq}"

    def damage(store: BenchStore, run: str) -> None:
        assert store.changed(f"UPDATE {table} SET {change} WHERE RUN_ID = ?{place}", run) == 1  # noqa: S608

    return damage


def _lose(*seqs: int) -> Damage:
    """Return the damage that takes events out."""
    return lambda store, run: store.lose(run, *seqs)


def _double(store: BenchStore, run: str) -> None:
    """Have one event twice."""
    store.sql("INSERT INTO RUN_EVENTS SELECT * FROM RUN_EVENTS WHERE RUN_ID = ? AND RUN_SEQ = 3", run)


def _copy(column: str, of: int, to: int) -> Damage:
    """Return the damage that gives one event the value that another one has."""

    def damage(store: BenchStore, run: str) -> None:
        [row] = store.sql(f"SELECT {column} AS X FROM RUN_EVENTS WHERE RUN_ID = ? AND RUN_SEQ = ?", run, of)  # noqa: S608
        _update("RUN_EVENTS", f"{column} = '{row['x']}'", to)(store, run)

    return damage


# What is done to the run, and which findings it has then: name, severity and place.
DAMAGES: dict[str, tuple[Damage, list[tuple[str, str, int]]]] = {
    "an event is gone": (_lose(3), [("SEQ_MISSING", "ERROR", 3), ("SNAPSHOT_DIFFERS", "ERROR", 5)]),
    "several events are gone": (
        _lose(1, 2, 4),
        [("SEQ_MISSING", "ERROR", 1), ("SEQ_MISSING", "ERROR", 4), ("SNAPSHOT_DIFFERS", "ERROR", 5)],
    ),
    "the last event is gone": (_lose(6), [("SEQ_MISSING", "ERROR", 6)]),
    "all events are gone": (
        _lose(1, 2, 3, 4, 5, 6),
        [("SEQ_MISSING", "ERROR", 1), ("SNAPSHOT_DIFFERS", "ERROR", 5)],
    ),
    "an event is there twice": (
        _double,
        [
            *[(name, "ERROR", 3) for name in ("EVENT_ID_TWICE", "EVENT_ID_TWICE", "KEY_TWICE", "KEY_TWICE")],
            ("SEQ_TWICE", "ERROR", 3),
        ],
    ),
    "a place is there twice and another not at all": (
        _update("RUN_EVENTS", "RUN_SEQ = 6", 5),
        [("SEQ_MISSING", "ERROR", 5), ("SNAPSHOT_DIFFERS", "ERROR", 5), ("SEQ_TWICE", "ERROR", 6)],
    ),
    "a key is there twice": (
        _copy("IDEMPOTENCY_KEY", 2, 4),
        [("KEY_TWICE", "ERROR", 2), ("KEY_SUPPLIED", "INFO", 4), ("KEY_TWICE", "ERROR", 4)],
    ),
    "an event id is there twice": (
        _copy("EVENT_ID", 2, 4),
        [("EVENT_ID_TWICE", "ERROR", 2), ("EVENT_ID_TWICE", "ERROR", 4)],
    ),
    "a key is no key": (_update("RUN_EVENTS", "IDEMPOTENCY_KEY = 'abc'", 4), [("KEY_MALFORMED", "ERROR", 4)]),
    "a key is in upper case": (
        _update("RUN_EVENTS", "IDEMPOTENCY_KEY = UPPER(IDEMPOTENCY_KEY)", 4),
        [("KEY_MALFORMED", "ERROR", 4)],
    ),
    "a key has a line break": (
        _update("RUN_EVENTS", "IDEMPOTENCY_KEY = IDEMPOTENCY_KEY || '\n'", 4),
        [("KEY_MALFORMED", "ERROR", 4)],
    ),
    "the step of an event was changed": (
        _update("RUN_EVENTS", "STEP_ID = 'c'", 4),
        [("KEY_SUPPLIED", "INFO", 4), ("SNAPSHOT_DIFFERS", "ERROR", 5)],
    ),
    "an event is another tenant's": (
        _update("RUN_EVENTS", "TENANT_ID = 'x'", 4),
        [("IDENTITY_DIFFERS", "ERROR", 4)],
    ),
    "an event is another project's": (
        _update("RUN_EVENTS", "PROJECT_ID = 'x'", 6),
        [("IDENTITY_DIFFERS", "ERROR", 6)],
    ),
    "an event is another environment's": (
        _update("RUN_EVENTS", "ENVIRONMENT_ID = 'x'", 1),
        [("IDENTITY_DIFFERS", "ERROR", 1)],
    ),
    "time goes back": (
        _update("RUN_EVENTS", "PERSISTED_AT = '2026-03-01 11:59:59'::TIMESTAMP_NTZ(6)", 3),
        [("PERSISTED_AT_BACK", "ERROR", 3)],
    ),
    "time goes back at the end": (
        _update("RUN_EVENTS", "PERSISTED_AT = '2026-03-01 12:00:00.999999'::TIMESTAMP_NTZ(6)", 6),
        [("PERSISTED_AT_BACK", "ERROR", 6)],
    ),
    "the counter is behind the log": (_update("RUN_COUNTERS", "LAST_SEQ = 5"), [("COUNTER_DIFFERS", "ERROR", 6)]),
    "the counter has another time": (
        _update("RUN_COUNTERS", "LAST_PERSISTED_AT = '2026-03-02 00:00:00'::TIMESTAMP_NTZ(6)"),
        [("COUNTER_DIFFERS", "ERROR", 6)],
    ),
    "the counter has no time": (
        _update("RUN_COUNTERS", "LAST_PERSISTED_AT = NULL"),
        [("COUNTER_DIFFERS", "ERROR", 6)],
    ),
    "the counter is ahead of the log": (_update("RUN_COUNTERS", "LAST_SEQ = 8"), [("SEQ_MISSING", "ERROR", 7)]),
    "the snapshot is ahead of the counter": (
        _update("RUN_SNAPSHOTS", "LAST_EVENT_SEQ = 7"),
        [("SNAPSHOT_AHEAD", "ERROR", 7), ("SNAPSHOT_DIFFERS", "ERROR", 7)],
    ),
    "the snapshot has something more": (
        _update("RUN_SNAPSHOTS", "SNAPSHOT_DATA = OBJECT_INSERT(SNAPSHOT_DATA, 'added', 1)"),
        [("SNAPSHOT_DIFFERS", "ERROR", 5)],
    ),
    "the snapshot is damaged": (
        _update("RUN_SNAPSHOTS", "SNAPSHOT_DATA = PARSE_JSON('[]')"),
        [("SNAPSHOT_DIFFERS", "ERROR", 5)],
    ),
    "an artifact of an event was changed": (
        _update("RUN_EVENTS", "PAYLOAD = PARSE_JSON('{\"artifactRefs\": []}')", 3),
        [("SNAPSHOT_DIFFERS", "ERROR", 5)],
    ),
}


def test_a_sound_run_has_no_findings(shared: BenchStore) -> None:
    _sound(shared, "sound")
    assert _found(shared, "sound") == []
    shared.project_snapshot("sound")
    assert _found(shared, "sound") == []


def test_a_run_that_was_never_projected_has_no_findings(shared: BenchStore) -> None:
    shared.append_batch([run_event("fresh", "RunStarted"), _step("fresh", "a")])
    assert _found(shared, "fresh") == []


def test_refused_events_and_other_runs_are_no_findings(shared: BenchStore) -> None:
    _sound(shared, "odd")
    _sound(shared, "neighbour")
    shared.append_batch([run_event("odd", "RunResumed"), run_event("odd", "RunCompleted", 2)])
    assert shared.project_snapshot("odd")["consistency"] == "INCONSISTENT"
    shared.lose("neighbour", 2)
    assert _found(shared, "odd") == []


@pytest.mark.parametrize("damage", DAMAGES)
def test_each_damage_is_found_and_nothing_else(shared: BenchStore, damage: str) -> None:
    does, expected = DAMAGES[damage]
    _sound(shared, damage)
    does(shared, damage)
    before = shared.contents(TABLES)
    assert [finding[:3] for finding in _found(shared, damage)] == expected
    assert shared.contents(TABLES) == before


def test_a_run_without_damage_again_has_no_findings(shared: BenchStore) -> None:
    _sound(shared, "mended")
    shared.lose("mended", 2, 3)
    assert _found(shared, "mended") != []
    shared.bring_back("mended", 2, 3)
    assert _found(shared, "mended") == []


def test_a_resync_mends_a_snapshot_that_differs(shared: BenchStore) -> None:
    _sound(shared, "resync")
    _update("RUN_SNAPSHOTS", "SNAPSHOT_DATA = PARSE_JSON('[]')")(shared, "resync")
    [(_, _, _, details)] = _found(shared, "resync")
    assert "RESYNC_RUN" in details["hint"]
    shared.resync_run("resync")
    assert _found(shared, "resync") == []


def test_findings_say_what_they_saw(shared: BenchStore) -> None:
    _sound(shared, "told")
    shared.lose("told", 3, 4)
    _update("RUN_EVENTS", "IDEMPOTENCY_KEY = 'abc'", 2)(shared, "told")
    _update("RUN_EVENTS", "PERSISTED_AT = '2026-03-01 00:00:00.5'::TIMESTAMP_NTZ(6)", 5)(shared, "told")
    found = {name: details for name, _, _, details in _found(shared, "told")}
    assert found["SEQ_MISSING"] == {"lastSeq": 2, "nextSeq": 5}
    assert found["KEY_MALFORMED"] == {"idempotencyKey": "abc", "computed": key_of(_step("told", "a"))}
    assert found["PERSISTED_AT_BACK"] == {
        "persistedAt": "2026-03-01T00:00:00.500000Z",
        "before": "2026-03-01T12:00:00.000000Z",
    }


def test_a_supplied_key_is_told_and_is_no_error(shared: BenchStore) -> None:
    shared.append_batch([run_event("own", "RunStarted"), _step("own", "a", idempotencyKey="A" * 64)])
    details = {"idempotencyKey": "a" * 64, "computed": key_of(_step("own", "a"))}
    assert _found(shared, "own") == [("KEY_SUPPLIED", "INFO", 2, details)]


def test_an_archived_run_is_checked_like_any_other(store: BenchStore) -> None:
    _sound(store, "run")
    store.project_snapshot("run")
    store.set_clock("2027-01-01T00:00:00Z")
    assert store.value("ARCHIVE_RUNS", 1, 1) == 1
    assert _found(store, "run") == []
    store.sql("DELETE FROM RUN_EVENTS_ARCHIVE WHERE RUN_SEQ = 2")
    assert [finding[:3] for finding in _found(store, "run")] == [
        ("SEQ_MISSING", "ERROR", 2),
        ("SNAPSHOT_DIFFERS", "ERROR", 6),
    ]


@pytest.mark.parametrize("run", ["nobody", "", "' OR 1 = 1 --", None])
def test_an_unknown_run_is_refused(shared: BenchStore, run: Any) -> None:
    with refused("RS012", field="runId"):
        shared.verify_run(run)


def test_a_bound_login_checks_its_own_runs_only(store: BenchStore) -> None:
    _sound(store, "run")
    store.call("BIND_LOGIN", "GUEST", "elsewhere")
    with pytest.raises(Refusal, match="is no run"):
        store.session_of("GUEST").verify_run("run")
    store.call("BIND_LOGIN", "GUEST", "tenant")
    assert store.session_of("GUEST").verify_run("run") == []
