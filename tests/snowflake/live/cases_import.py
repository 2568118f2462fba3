"""A file as `runstore export` writes it goes into the log, and the runs go on from there."""

import csv
import json
from dataclasses import fields
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

from runstore import RunEventRecord
from stores import EMITTED_AT, write

from live.account import Account, rows

HOSTILE = 'it\'s "quoted", \\ back\\\\slashed\n\ttwo lines, $$ ünïcödé 🎉'


def test_an_export_is_imported_once_and_continued(account: Account, tmp_path: Path) -> None:
    run, store, session = f"run-{uuid4()}", account.store(), account.connect()
    exported = [
        RunEventRecord(
            run_id=run,
            run_seq=n,
            event_id=uuid4(),
            event_type="StepCompleted",
            step_id=f"{HOSTILE} {n}",
            engine_attempt_id=1,
            logical_attempt_id=n,
            tenant_id="tenant",
            project_id="project",
            environment_id="environment",
            plan_id="plan",
            plan_version="1",
            idempotency_key=store.idempotency_key(run, f"{HOSTILE} {n}", n, "StepCompleted", "plan", "1"),
            payload={"text": HOSTILE, "n": n} if n % 2 else None,
            emitted_at=EMITTED_AT + timedelta(microseconds=n),
            persisted_at=EMITTED_AT + timedelta(hours=n),
            adapter_version=None,
            engine_run_ref={"id": HOSTILE} if n == 1 else None,
            caused_by_signal_id=None,
            parent_event_id=uuid4() if n == 2 else None,
        )
        for n in range(1, 6)
    ]
    _write(tmp_path / f"{run}.csv", exported)
    rows(session, f"PUT 'file://{tmp_path}/{run}.csv' @IMPORT_STAGE/csv")

    told = [json.loads(rows(session, "CALL IMPORT_EVENTS('CSV')")[0]["IMPORT_EVENTS"]) for _ in range(2)]
    assert [(each["imported"], each["known"]) for each in told] == [(5, 0), (0, 5)]
    assert store.fetch_events(run) == exported

    again, further = (store.append_event(write(run, f"{HOSTILE} {n}", logical_attempt_id=n)) for n in (5, 6))
    assert (again.idempotent, again.event_id) == (True, exported[4].event_id)
    assert (further.persisted, further.run_seq) == (True, 6)
    assert further.persisted_at >= exported[4].persisted_at


def _write(path: Path, events: list[RunEventRecord]) -> None:
    names = [each.name for each in fields(RunEventRecord)]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(names)
        writer.writerows([[_text(name, getattr(event, name)) for name in names] for event in events])


def _text(name: str, value: Any) -> str:
    if value is None:
        return ""
    if name in ("payload", "engine_run_ref"):
        return json.dumps(value, ensure_ascii=False)
    return f"{value:%Y-%m-%d %H:%M:%S.%f}+00" if name in ("emitted_at", "persisted_at") else str(value)
