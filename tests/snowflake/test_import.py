"""Importing an export of PostgreSQL: the same log, the same snapshots, and runs that go on; or nothing at all."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import psycopg
import pytest
from append_rules import COLUMNS, Refusal, utc_text
from appends import Event, append_batch, event
from bench_stores import TABLES, BenchStore, Json, folded, fresh_store, refused
from conformance import as_text
from import_files import FileRow, import_files, read_csv, write_csv, write_parquet
from projections import any_event, run_event
from psycopg.rows import dict_row
from runstore.embedded import Server
from support import Connection, cloned
from terminal import outcome

RUNS = [f"run-{number}" for number in range(100)]
EVENTS_PER_RUN = 100
FEW = RUNS[:6]
HOSTILE = "it's \"quoted\", \\ and \\\\N,\r\n\ttwo lines; $$ '' ünïcödé \U0001f389 \u2028"
EMITTED = ["0001-01-01T00:00:00Z", "9999-12-31T12:00:00.999999Z", "2026-02-16T09:30:00.5+05:30"]
COPY = "copy (select * from runstore.run_event_records {} order by run_id, run_seq) to stdout (format csv, header)"

Edit = Callable[[list[FileRow]], None]


@dataclass(frozen=True)
class Source:
    """A store in PostgreSQL and its export."""

    connection: Connection
    directory: Path

    @property
    def file(self) -> Path:
        """The exported file."""
        return self.directory / "events.csv"

    def snapshots(self) -> dict[str, Json]:
        """Return the fold of every run's log."""
        runs = "(select distinct run_id from runstore.run_events) as r"
        query = f"select run_id, runstore.replay_snapshot(run_id) from {runs}"  # noqa: S608  # no input
        return dict(self.connection.execute(query.encode()).fetchall())

    def log(self, run: str) -> list[dict[str, Any]]:
        """Return the run's events: all columns as JSON values."""
        with self.connection.cursor(row_factory=dict_row) as cursor:
            rows = cursor.execute("select * from runstore.fetch_events(%s, 0, 10000)", [run]).fetchall()
        return [{name: _json_value(row[name]) for name in COLUMNS} for row in rows]


@pytest.fixture(scope="module")
def source(server: Server, template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Source]:
    """10,000 events of 100 runs, appended in batches that mix the runs, and exported by the command line."""
    directory = tmp_path_factory.mktemp("export")
    with cloned(server, template) as name:
        dsn = server.dsn(name)
        with psycopg.connect(dsn, autocommit=True, options="-c timezone=UTC") as connection:
            for nths in (range(first, first + 10) for first in range(0, EVENTS_PER_RUN, 10)):
                append_batch(connection, [_event(run, nth) for nth in nths for run in RUNS])
            told = f"10000 events of 100 runs exported to {directory}/events.csv\n"
            assert outcome(dsn, "export", str(directory)) == (0, told, "")
            yield Source(connection, directory)


@pytest.fixture(scope="module")
def few(source: Source, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of some of the runs, in the words of a session with a time zone of its own."""
    path = tmp_path_factory.mktemp("few") / "events.csv"
    source.connection.execute("set time zone interval '+05:30' hour to minute")
    try:
        named = ", ".join(f"'{run}'" for run in FEW)
        query = COPY.format(f"where run_id in ({named})").encode()
        with path.open("wb") as file, source.connection.cursor() as cursor, cursor.copy(query) as copy:
            file.writelines(copy)
    finally:
        source.connection.execute("set timezone = 'UTC'")
    return path


@pytest.fixture(scope="module")
def begun(few: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[BenchStore, list[FileRow]]]:
    """A store that has the first three events of a run, and the rows of a file with more of it and with another run."""
    rows = [row for row in read_csv(few) if row["run_id"] in FEW[:2] and int(row["run_seq"] or 0) <= 6]
    path = write_csv(tmp_path_factory.mktemp("begun") / "events.csv", rows[:3])
    with fresh_store() as store:
        import_files(store, path)
        yield store, rows


# Everything


def test_10000_imported_events_are_the_log_they_were_and_go_on(source: Source) -> None:
    with fresh_store() as store:
        assert import_files(store, source.file) == {"rows": 10000, "imported": 10000, "known": 0, "runs": 100}
        _check_same(store, source, RUNS)

        before = store.contents(TABLES)
        assert import_files(store, source.file) == {"rows": 10000, "imported": 0, "known": 10000, "runs": 100}
        assert store.contents(TABLES) == before

        _check_goes_on(store, source, RUNS)
        _check_snapshots_go_on(store, RUNS)


def test_10000_events_come_the_same_way_from_a_parquet_file(source: Source, tmp_path: Path) -> None:
    path = write_parquet(tmp_path / "events.parquet", read_csv(source.file))
    with fresh_store() as store:
        assert import_files(store, path) == {"rows": 10000, "imported": 10000, "known": 0, "runs": 100}
        _check_same(store, source, RUNS)


@pytest.mark.parametrize("variant", ["standard", "hybrid"])
def test_a_copy_by_a_session_with_another_time_zone_is_imported(source: Source, few: Path, variant: str) -> None:
    assert "+05:30" in few.read_text(encoding="utf-8")
    with fresh_store(variant) as store:
        assert import_files(store, few)["imported"] == 600
        _check_same(store, source, FEW)
        _check_goes_on(store, source, FEW)


@pytest.mark.parametrize("zone", ["with a zone", "without a zone"])
def test_a_parquet_file_with_typed_columns_is_imported(source: Source, few: Path, tmp_path: Path, zone: str) -> None:
    path = write_parquet(tmp_path / "events.parquet", [_typed(row, zone == "with a zone") for row in read_csv(few)])
    with fresh_store() as store:
        assert import_files(store, path)["imported"] == 600
        _check_same(store, source, FEW)


# Part by part


def test_a_later_export_continues_the_runs_and_begins_new_ones(source: Source, few: Path, tmp_path: Path) -> None:
    rows = read_csv(few)
    early = [row for row in rows if row["run_id"] != FEW[-1] and int(row["run_seq"] or 0) <= 40]
    first = write_csv(tmp_path / "first.csv", early)
    with fresh_store() as store:
        assert import_files(store, first) == {"rows": 200, "imported": 200, "known": 0, "runs": 5}
        assert store.project_all() == 5
        assert import_files(store, few) == {"rows": 600, "imported": 400, "known": 200, "runs": 6}
        _check_same(store, source, FEW)


def test_a_continuation_without_the_known_events_is_imported(source: Source, few: Path, tmp_path: Path) -> None:
    rows = read_csv(few)
    with fresh_store() as store:
        for number, (after, up_to) in enumerate([(0, 30), (30, 31), (31, 100)]):
            part = [row for row in rows if after < int(row["run_seq"] or 0) <= up_to]
            told = import_files(store, write_csv(tmp_path / f"part-{number}.csv", part))
            assert told == {"rows": len(part), "imported": len(part), "known": 0, "runs": 6}
        _check_same(store, source, FEW)


def test_files_that_overlap_are_imported_together(source: Source, few: Path, tmp_path: Path) -> None:
    rows = read_csv(few)
    late = write_csv(tmp_path / "late.csv", [row for row in reversed(rows) if int(row["run_seq"] or 0) > 40])
    early = write_csv(tmp_path / "z-early.csv", [row for row in rows if int(row["run_seq"] or 0) <= 60])
    with fresh_store() as store:
        assert import_files(store, late, early) == {"rows": 720, "imported": 600, "known": 120, "runs": 6}
        _check_same(store, source, FEW)


def test_events_that_were_appended_meanwhile_stay_and_the_file_must_go_on_from_them(few: Path, tmp_path: Path) -> None:
    rows = read_csv(few)
    with fresh_store() as store:
        import_files(store, write_csv(tmp_path / "first.csv", rows[:3]))
        store.append(run_event(FEW[0], "Noted"))
        before = store.contents(TABLES)
        with refused("RS001", field="runSeq", value="4", expected="5, where the log goes on"):
            import_files(store, few)
        assert store.contents(TABLES) == before


def test_a_stage_without_files_changes_nothing(store: BenchStore) -> None:
    assert store.value("IMPORT_EVENTS") == {"rows": 0, "imported": 0, "known": 0, "runs": 0}


# Refusals


def _at(rows: list[FileRow], run: int, seq: int) -> FileRow:
    """Return the row of a run at a place."""
    [found] = [row for row in rows if row["run_id"] == FEW[run] and row["run_seq"] == str(seq)]
    return found


def _set(run: int, seq: int, **fields: str | None) -> Edit:
    """Return the edit that changes fields of a row."""

    def edit(rows: list[FileRow]) -> None:
        _at(rows, run, seq).update(fields)

    return edit


def _drop(run: int, *seqs: int) -> Edit:
    """Return the edit that takes rows out."""

    def edit(rows: list[FileRow]) -> None:
        for seq in seqs:
            rows.remove(_at(rows, run, seq))

    return edit


def _borrow(field: str, run: int, seq: int, of: int) -> Edit:
    """Return the edit that gives a row the value that another row of its run has."""

    def edit(rows: list[FileRow]) -> None:
        _at(rows, run, seq)[field] = _at(rows, run, of)[field]

    return edit


def _back(run: int, seq: int) -> Edit:
    """Return the edit that has a row stored an hour before all others."""
    return _set(run, seq, persisted_at="2026-01-01 00:00:00+00")


def _all(*edits: Edit) -> Edit:
    """Return the edit that makes several."""

    def edit(rows: list[FileRow]) -> None:
        for each in edits:
            each(rows)

    return edit


NEW_ID = "0b7c1b1e-5d0c-4b60-9b7e-0d3c5a1f2e4d"
NEW_KEY = "f" * 64
# The store has places 1 to 3 of run 0; the file has 1 to 6 of the runs 0 and 1.
EDITS: dict[str, tuple[Edit, str, str, str | None, int, int]] = {
    "an event is missing in a known run": (_drop(0, 5), "RS001", "runSeq", "6", 0, 6),
    "an event is missing after the known ones": (_drop(0, 1, 2, 3, 4), "RS001", "runSeq", "5", 0, 5),
    "an event is missing in a new run": (_drop(1, 3), "RS001", "runSeq", "4", 1, 4),
    "the first event is missing": (_drop(1, 1), "RS001", "runSeq", "2", 1, 2),
    "a place is there twice": (_set(1, 6, run_seq="5"), "RS001", "runSeq", "5", 1, 5),
    "a place is 0": (_set(1, 1, run_seq="0"), "RS001", "runSeq", "0", 1, 0),
    "a place is no number": (_set(1, 6, run_seq="six"), "RS001", "runSeq", "", 1, -1),
    "a place has another event": (
        _set(0, 2, idempotency_key=NEW_KEY, event_id=NEW_ID),
        "RS001",
        "runSeq",
        "2",
        0,
        2,
    ),
    "a known event is at another place": (_borrow("idempotency_key", 0, 5, 2), "RS001", "runSeq", "5", 0, 5),
    "a new event is there at two places": (_borrow("idempotency_key", 1, 4, 2), "RS001", "runSeq", "4", 1, 4),
    "a known event has another key": (_set(0, 2, idempotency_key=NEW_KEY), "RS003", "eventId", None, 0, 2),
    "an event has the id of a known one": (_borrow("event_id", 0, 5, 2), "RS003", "eventId", None, 0, 5),
    "another tenant in a known run": (_set(0, 4, tenant_id="other"), "RS002", "runId", FEW[0], 0, 4),
    "another project in a known run": (_set(0, 4, project_id="other"), "RS002", "runId", FEW[0], 0, 4),
    "another environment at a known event": (_set(0, 2, environment_id="other"), "RS002", "runId", FEW[0], 0, 2),
    "another tenant in a new run": (_set(1, 4, tenant_id="zz"), "RS002", "runId", FEW[1], 1, 4),
    "time goes back in a new run": (_back(1, 4), "RS001", "persistedAt", "2026-01-01T00:00:00.000000Z", 1, 4),
    "time goes back after the known events": (
        _all(_drop(0, 1, 2, 3), _back(0, 4)),
        "RS001",
        "persistedAt",
        "2026-01-01T00:00:00.000000Z",
        0,
        4,
    ),
    "time goes back behind a known event that is made to look older": (
        _all(*(_back(0, seq) for seq in (1, 2, 3, 4))),
        "RS001",
        "persistedAt",
        "2026-01-01T00:00:00.000000Z",
        0,
        4,
    ),
    "no time of the store": (_set(1, 2, persisted_at=None), "RS001", "persistedAt", None, 1, 2),
    "a day that is none": (
        _set(1, 2, persisted_at="2026-02-30 00:00:00+00"),
        "RS001",
        "persistedAt",
        "2026-02-30 00:00:00+00",
        1,
        2,
    ),
    "an endless time": (_set(1, 2, emitted_at="infinity"), "RS001", "emittedAt", "infinityZ", 1, 2),
    "no producer's time": (_set(1, 2, emitted_at=None), "RS001", "emittedAt", None, 1, 2),
    "no run": (_set(1, 6, run_id=None), "RS001", "runId", None, -1, 6),
    "no tenant": (_set(1, 2, tenant_id=None), "RS001", "tenantId", None, 1, 2),
    "no key": (_set(1, 2, idempotency_key=None), "RS001", "idempotencyKey", "", 1, 2),
    "a key that is none": (_set(1, 2, idempotency_key="abc"), "RS001", "idempotencyKey", "abc", 1, 2),
    "no event id": (_set(1, 2, event_id=None), "RS001", "eventId", "", 1, 2),
    "a type with a bar": (_set(1, 2, event_type="a|b"), "RS001", "eventType", "a|b", 1, 2),
    "a step event without a step": (
        _set(1, 2, event_type="StepStarted", step_id=None),
        "RS001",
        "stepId",
        None,
        1,
        2,
    ),
    "an attempt that is no number": (_set(1, 2, engine_attempt_id="x"), "RS001", "engineAttemptId", "x", 1, 2),
    "an attempt and a half": (_set(1, 2, logical_attempt_id="1.5"), "RS001", "logicalAttemptId", "1.5", 1, 2),
    "no attempt": (_set(1, 2, logical_attempt_id=None), "RS001", "logicalAttemptId", "", 1, 2),
    "a payload that is cut off": (_set(1, 2, payload='{"a": [1, '), "RS001", "payload", None, 1, 2),
    "a payload that is an array": (_set(1, 2, payload="[1]"), "RS001", "payload", None, 1, 2),
    "a payload that is too large": (_set(1, 2, payload=f'{{"a": "{"x" * 262144}"}}'), "RS005", "payload", None, 1, 2),
    "an artifact that is no pointer": (
        _set(1, 2, payload='{"artifactRefs": [{"uri": "data:,x", "kind": "log"}]}'),
        "RS001",
        "payload.artifactRefs",
        None,
        1,
        2,
    ),
    "a reference that is text": (_set(1, 2, engine_run_ref='"run"'), "RS001", "engineRunRef", None, 1, 2),
    "a signal that is no UUID": (_set(1, 2, caused_by_signal_id="x"), "RS001", "causedBySignalId", "x", 1, 2),
}


@pytest.mark.parametrize("case", EDITS)
def test_an_edited_file_is_refused_and_nothing_is_imported(
    begun: tuple[BenchStore, list[FileRow]], tmp_path: Path, case: str
) -> None:
    store, exported = begun
    edit, code, field, value, run, seq = EDITS[case]
    rows = [dict(row) for row in exported]
    edit(rows)
    before = store.contents(TABLES)
    with pytest.raises(Refusal) as caught:
        import_files(store, write_csv(tmp_path / "events.csv", rows))
    told, detail = caught.value.told, caught.value.told["detail"]
    assert (detail["code"], detail["field"], detail.get("value")) == (code, field, value or detail.get("value"))
    place = f'row of run "{FEW[run] if run >= 0 else ""}" at place {seq if seq >= 0 else "unknown"}: {field}'
    assert place in told["message"]
    assert "Nothing was imported" in told["hint"]
    assert store.contents(TABLES) == before


def test_the_first_refused_row_in_the_order_of_the_log_is_named(
    begun: tuple[BenchStore, list[FileRow]], tmp_path: Path
) -> None:
    store, exported = begun
    rows = [dict(row) for row in reversed(exported)]
    _all(_set(1, 2, payload="[1]"), _set(0, 6, step_id="a|b"), _set(0, 5, tenant_id="other"))(rows)
    with refused("RS002", field="runId", value=FEW[0]):
        import_files(store, write_csv(tmp_path / "events.csv", rows))


def test_the_file_that_is_edited_here_is_imported_without_the_edits(few: Path, tmp_path: Path) -> None:
    rows = [row for row in read_csv(few) if row["run_id"] in FEW[:2] and int(row["run_seq"] or 0) <= 6]
    with fresh_store() as store:
        import_files(store, write_csv(tmp_path / "first.csv", rows[:3]))
        told = import_files(store, write_csv(tmp_path / "events.csv", rows))
        assert told == {"rows": 12, "imported": 9, "known": 3, "runs": 2}


@pytest.mark.parametrize("form", ["xml", "", "CSV "])
def test_another_format_is_refused(shared: BenchStore, form: str) -> None:
    with refused("RS010", field="format", value=form):
        shared.value("IMPORT_EVENTS", form)


def _event(run: str, nth: int) -> Event:
    """Return an event that brings something which files find hard."""
    if nth == 0:
        return run_event(run, "RunStarted", engineRunRef={"name": HOSTILE}, payload={})
    made = any_event(run, str(nth))
    fields: Event = {}
    if nth % 5 == 0 and made["stepId"]:
        fields["stepId"] = f"{made['stepId']} {HOSTILE}"
    if nth % 7 == 0:
        fields["payload"] = {**made["payload"], "reason": HOSTILE, "error": [HOSTILE, None, True, 1.5, 2**53 - 1, {}]}
    if nth % 11 == 0:
        fields["payload"] = None
    if nth % 13 == 0:
        ids = {"causedBySignalId": NEW_ID.upper(), "parentEventId": "00000000-0000-0000-0000-00000000000A"}
        fields = {**fields, **ids, "adapterVersion": HOSTILE, "emittedAt": EMITTED[nth % len(EMITTED)]}
    return {**made, **fields}


def _typed(row: FileRow, with_zone: bool) -> dict[str, Any]:
    """Return a row with numbers and times for those columns that hold them."""
    values: dict[str, Any] = dict(row)
    for name in ("run_seq", "engine_attempt_id", "logical_attempt_id"):
        values[name] = int(values[name])
    for name in ("emitted_at", "persisted_at"):
        written = datetime.fromisoformat(values[name].replace(" ", "T"))
        in_utc = written.replace(tzinfo=None) - (written.utcoffset() or timedelta())
        values[name] = in_utc.replace(tzinfo=timezone.utc) if with_zone else in_utc
    return values


def _check_same(store: BenchStore, source: Source, runs: list[str]) -> None:
    """Check that the runs' events and snapshots are those of PostgreSQL."""
    for run in runs:
        assert as_text(store.log(run)) == as_text(source.log(run))
    assert store.project_all() > 0
    snapshots = source.snapshots()
    for run in runs:
        stored = store.get_snapshot(run)
        assert stored is not None
        assert stored["stale"] is False
        assert as_text(folded(stored)) == as_text(snapshots[run])


def _check_goes_on(store: BenchStore, source: Source, runs: list[str]) -> None:
    """Check that known events are known, and that each run goes on at its next place."""
    sent = [one for run in runs for one in (_event(run, 50), event(run, "more"))]
    answers = store.append_batch(sent)
    for run, known, more in zip(runs, answers[::2], answers[1::2], strict=True):
        log = source.log(run)
        assert (known.run_seq, str(known.event_id), known.idempotent) == (51, log[50]["event_id"], True)
        assert (more.run_seq, more.persisted) == (len(log) + 1, True)
        assert utc_text(more.persisted_at) >= log[-1]["persisted_at"]


def _check_snapshots_go_on(store: BenchStore, runs: list[str]) -> None:
    """Check that the new events reach the snapshots."""
    assert store.project_all() == len(runs)
    for run in runs[:3]:
        stored = store.get_snapshot(run)
        assert stored is not None
        assert stored["lastEventSeq"] == EVENTS_PER_RUN + 1
        assert folded(stored) == store.replay_snapshot(run)


def _json_value(value: Any) -> Any:
    if isinstance(value, datetime):
        return utc_text(value)
    return value if value is None or isinstance(value, (int, str, dict)) else str(value)
