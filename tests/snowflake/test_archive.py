"""Archiving: only whole runs that ended long ago and are projected are moved, and nothing of them is lost."""

import json
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from append_rules import Refusal
from appends import Event, event
from bench_stores import TABLES, VARIANTS, BenchStore, fresh_store, refused
from import_files import import_files, write_csv
from projections import run_event
from snowflake.connector.errors import ProgrammingError

BEGIN = "2026-03-01T12:00:00Z"
DAY_90 = "2026-05-30T12:00:00Z"
LATER = "2026-05-30T12:00:00.000001Z"
ENDED = ["RunStarted", "StepStarted", "StepCompleted", "RunCompleted"]
# Does within the call what another session may have committed between the choice of the runs and the lock.
LOCK_RUNS = """
    CREATE OR REPLACE PROCEDURE LOCK_RUNS(P_EVENTS VARIANT) RETURNS BOOLEAN LANGUAGE SQL EXECUTE AS OWNER AS
    $$ BEGIN <statement>; RETURN TRUE; END; $$
"""


def _archived(store: BenchStore) -> set[str]:
    """Return the runs of which something is in the archive, and check that they are not in the log as well."""
    archive = {row["run_id"] for row in store.sql("SELECT DISTINCT RUN_ID FROM RUN_EVENTS_ARCHIVE")}
    log = {row["run_id"] for row in store.sql("SELECT DISTINCT RUN_ID FROM RUN_EVENTS")}
    marked = {row["run_id"] for row in store.sql("SELECT RUN_ID FROM RUN_COUNTERS WHERE ARCHIVED_AT IS NOT NULL")}
    assert archive == marked
    assert not archive & log
    return archive


def _end(store: BenchStore, run: str, *event_types: str) -> None:
    """Append a run that ends, and project it."""
    store.append_types(run, *(event_types or ENDED))
    store.project_snapshot(run)


def _moved(store: BenchStore, days: int | None = 90, limit: int | None = 1000) -> int:
    """Archive, and return how many runs were moved."""
    return int(store.value("ARCHIVE_RUNS", days, limit))


# Which runs


def test_a_run_is_archived_when_its_end_was_stored_longer_ago_than_asked(store: BenchStore) -> None:
    store.set_clock(BEGIN)
    _end(store, "run")
    store.set_clock(DAY_90)
    assert _moved(store) == 0
    store.set_clock(LATER)
    assert _moved(store) == 1
    assert _archived(store) == {"run"}
    assert _moved(store) == 0


def test_the_age_is_that_of_the_end_as_the_store_saw_it(store: BenchStore) -> None:
    """Neither the run's beginning, nor what came after its end, nor the producer's time decides."""
    store.set_clock(BEGIN)
    _end(store, "ended early", *ENDED)
    store.append_types("began early", "RunStarted")
    store.set_clock(LATER)
    _end(store, "began early", "RunCompleted")
    _end(store, "ended early", "Noted", "RunCompleted")
    store.append_types("produced early", *ENDED, emittedAt="2001-01-01T00:00:00Z")
    store.project_all()
    assert _moved(store) == 1
    assert _archived(store) == {"ended early"}


@pytest.mark.parametrize("last", ["RunCompleted", "RunFailed", "RunCancelled"])
def test_every_end_counts(shared: BenchStore, last: str) -> None:
    shared.set_clock(BEGIN)
    _end(shared, last, "RunStarted", last)
    shared.set_clock(LATER)
    assert _moved(shared) == 1
    assert last in _archived(shared)


def test_null_means_90_days_and_1000_runs(store: BenchStore) -> None:
    store.set_clock(BEGIN)
    _end(store, "run")
    store.set_clock(DAY_90)
    assert _moved(store, None, None) == 0
    assert store.value("ARCHIVE_RUNS") == 0
    store.set_clock(LATER)
    assert _moved(store, None, None) == 1


def test_a_run_that_something_is_open_about_stays(store: BenchStore) -> None:
    """Each of these runs ended long ago, or looks as if; none may go but the last one."""
    store.set_clock(BEGIN)
    store.append_types("running", "RunStarted", "StepStarted")
    store.append_types("paused", "RunStarted", "RunPaused")
    store.append_types("gap", "RunStarted", "Noted", "Noted", "RunCompleted")
    store.append_types("gap behind", *ENDED)
    store.append_types("gap at the end", *ENDED, "Noted")
    store.append_types("parked", *ENDED, "StepStarted")
    store.append_types("lost counter", *ENDED)
    store.append_types("twice", *ENDED)
    store.append_types("ended", *ENDED)
    store.lose("gap", 2)
    store.lose("gap at the end", 5)
    store.spoil("parked", 5)
    store.project_all()
    store.append_types("behind", *ENDED)
    store.project_snapshot("behind")
    store.append_types("behind", "Noted")
    store.append_types("never projected", *ENDED)
    store.lose("gap behind", 2)
    store.sql("DELETE FROM RUN_COUNTERS WHERE RUN_ID = 'lost counter'")
    store.sql("INSERT INTO RUN_EVENTS SELECT * FROM RUN_EVENTS WHERE RUN_ID = 'twice' AND RUN_SEQ = 2")
    store.set_clock(LATER)
    assert _moved(store) == 1
    assert _archived(store) == {"ended"}
    assert _moved(store, 0) == 0

    store.bring_back("gap", 2)
    store.bring_back("gap behind", 2)
    store.bring_back("gap at the end", 5)
    store.mend("parked", 5)
    for run in ("gap", "gap at the end", "parked", "behind", "never projected"):
        store.project_snapshot(run)
    assert _moved(store) == 6
    left = {row["run_id"] for row in store.sql("SELECT DISTINCT RUN_ID FROM RUN_EVENTS")}
    assert left == {"running", "paused", "lost counter", "twice"}


def test_the_oldest_come_first_up_to_the_limit(store: BenchStore) -> None:
    for day, run in enumerate(["d", "b", "a", "c"], start=1):
        store.set_clock(f"2026-01-0{day}T00:00:00Z")
        _end(store, run)
    store.set_clock(LATER)
    assert _moved(store, limit=1) == 1
    assert _archived(store) == {"d"}
    assert _moved(store, limit=2) == 2
    assert _archived(store) == {"d", "b", "a"}
    assert _moved(store, limit=2) == 1
    assert _moved(store, limit=2) == 0


@pytest.mark.parametrize(
    ("days", "limit", "field", "value"),
    [
        (-1, 1, "olderThanDays", "-1"),
        (36501, 1, "olderThanDays", "36501"),
        (0, 0, "limit", "0"),
        (0, -1, "limit", "-1"),
        (0, 10001, "limit", "10001"),
    ],
)
def test_an_argument_out_of_bounds_is_refused(
    shared: BenchStore, days: int, limit: int, field: str, value: str
) -> None:
    with refused("RS010", field=field, value=value):
        _moved(shared, days, limit)


@pytest.mark.parametrize(("days", "limit"), [(0, 10000), (36500, 1)])
def test_the_bounds_themselves_are_taken(shared: BenchStore, days: int, limit: int) -> None:
    assert _moved(shared, days, limit) >= 0


# What stays


@pytest.mark.parametrize("variant", VARIANTS)
def test_an_archived_run_reads_and_answers_as_before_and_takes_nothing_new(variant: str) -> None:
    known: Event = event("run", "extract", payload={"n": 1}, engineRunRef={"id": "é"}, adapterVersion="1")
    with fresh_store(variant) as store:
        store.set_clock(BEGIN)
        first = store.append(run_event("run", "RunStarted"))
        answer = store.append(known)
        store.append(run_event("run", "RunCompleted"))
        store.append_types("other", "RunStarted")
        store.project_all()
        before = _seen(store)
        store.set_clock(LATER)
        assert _moved(store) == 1
        assert _archived(store) == {"run"}
        assert _seen(store) == before
        [counter] = store.sql("SELECT LAST_SEQ, UTC_TEXT(ARCHIVED_AT) AS AT FROM RUN_COUNTERS WHERE RUN_ID = 'run'")
        assert counter == {"last_seq": 3, "at": LATER}

        again = store.append(known)
        assert (again.event_id, again.run_seq, again.persisted_at) == (answer.event_id, 2, answer.persisted_at)
        assert (again.idempotent, again.persisted) == (True, False)
        with refused("RS008", field="runId", value="run"):
            store.append(event("run", "more"))
        with refused("RS008", index=1):
            store.append_batch([event("other", "more"), event("run", "more"), known])
        with refused("RS002"):
            store.append({**known, "tenantId": "other"})
        assert _seen(store) == before

        store.append({**known, "payload": {"n": 2}})
        assert [code for code, *_ in store.raised("run")] == ["IDEMPOTENCY_CONFLICT"]
        assert store.resync_run("run")["status"] == "COMPLETED"
        assert store.append_batch([known, run_event("run", "RunStarted")])[1].event_id == first.event_id


def test_an_import_knows_the_events_of_an_archived_run_and_adds_none(store: BenchStore, tmp_path: Path) -> None:
    store.set_clock(BEGIN)
    _end(store, "run")
    rows = [{name: _text(value) for name, value in row.items()} for row in store.log("run")]
    store.set_clock(LATER)
    assert _moved(store) == 1
    before = store.contents(TABLES)
    told = import_files(store, write_csv(tmp_path / "events.csv", rows))
    assert told == {"rows": 4, "imported": 0, "known": 4, "runs": 1}
    more = {**rows[-1], "run_seq": "5", "event_id": str(uuid4()), "idempotency_key": "f" * 64}
    with refused("RS008", field="runId", value="run"):
        import_files(store, write_csv(tmp_path / "events.csv", [*rows, more]))
    assert store.contents(TABLES) == before


# All or nothing

MEANWHILE = {
    "the run was archived": "UPDATE RUN_COUNTERS SET ARCHIVED_AT = CLOCK() WHERE RUN_ID = 'b'",
    "the run took an event": "UPDATE RUN_COUNTERS SET LAST_SEQ = LAST_SEQ + 1 WHERE RUN_ID = 'b'",
    "the counter went": "DELETE FROM RUN_COUNTERS WHERE RUN_ID = 'b'",
    "an event went": "DELETE FROM RUN_EVENTS WHERE RUN_ID = 'b' AND RUN_SEQ = 4",
}


@pytest.mark.parametrize("meanwhile", MEANWHILE)
def test_runs_that_moved_meanwhile_leave_everything_where_it_is(store: BenchStore, meanwhile: str) -> None:
    _three_ended(store)
    store.sql(LOCK_RUNS.replace("<statement>", MEANWHILE[meanwhile]))
    before = store.contents(TABLES)
    with refused("40001"):
        _moved(store)
    assert store.contents(TABLES) == before


def test_runs_that_cannot_be_copied_stay_where_they_are(store: BenchStore) -> None:
    _three_ended(store)
    store.sql("DROP TABLE RUN_EVENTS_ARCHIVE")
    tables = [table for table in TABLES if table != "RUN_EVENTS_ARCHIVE"]
    before = store.contents(tables)
    with pytest.raises(ProgrammingError, match="RUN_EVENTS_ARCHIVE"):
        _moved(store)
    assert store.contents(tables) == before


def test_without_the_lock_nothing_is_archived(store: BenchStore) -> None:
    _three_ended(store)
    store.sql("DELETE FROM APPEND_LOCK")
    before = store.contents(TABLES)
    with pytest.raises((ProgrammingError, Refusal)):
        _moved(store)
    assert store.contents(TABLES) == before


def _three_ended(store: BenchStore) -> None:
    """Make three runs that may be archived now."""
    store.set_clock(BEGIN)
    for run in "abc":
        _end(store, run)
    store.set_clock(LATER)


def _seen(store: BenchStore) -> dict[str, Any]:
    """Return all that can be read about the run."""
    return {
        "log": store.log("run"),
        "page": store.fetch("run", 1, 1),
        "stored": store.get_snapshot("run"),
        "replayed": store.replay_snapshot("run"),
        "earlier": store.replay_snapshot("run", 2),
        "listed": [row for row in store.call("LIST_RUNS") if row["run_id"] == "run"],
        "findings": store.verify_run("run"),
    }


def _text(value: Any) -> str | None:
    """Return a value as a file has it."""
    return value if value is None or isinstance(value, str) else json.dumps(value)
