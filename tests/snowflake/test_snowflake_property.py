"""Whatever is appended, PostgreSQL and Snowflake give the same answers, refusals, logs and snapshots."""

import hashlib
import itertools
import json
from collections.abc import Iterator
from datetime import datetime, timezone
from typing import Any

import psycopg
import pytest
from append_rules import Refusal
from appends import Event, append_batch, set_clock
from bench_stores import VARIANTS, BenchStore, folded, fresh_store
from conformance import as_text
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from projections import alerts as postgres_alerts
from support import Connection
from test_fold_property import events as any_event
from test_property import LIMIT
from test_property import events as mostly_valid

NOON = "2026-03-01T12:00:00Z"

deterministic = settings(
    max_examples=5,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
numbers = itertools.count()


@pytest.fixture(scope="module", params=VARIANTS)
def snowflake(request: pytest.FixtureRequest) -> Iterator[BenchStore]:
    """A store on the bench, with a clock that stands still."""
    with fresh_store(request.param) as store:
        store.set_clock(NOON)
        yield store


@pytest.fixture(scope="module")
def postgresql(postgres: Connection) -> Connection:
    """A store in PostgreSQL, with a clock that stands still."""
    set_clock(postgres, datetime(2026, 3, 1, 12, tzinfo=timezone.utc))
    return postgres


@deterministic
@given(script=st.lists(st.lists(any_event, min_size=1, max_size=12), min_size=3, max_size=6), data=st.data())
def test_any_log_folds_to_the_same_snapshots(
    postgresql: Connection, snowflake: BenchStore, script: list[list[Event]], data: st.DataObject
) -> None:
    for store in (postgresql, snowflake):
        _set(store, "max_signals_per_minute", "1000")
    example = next(numbers)
    runs: set[str] = set()
    for nth, drawn in enumerate(script):
        sent = [
            {
                **one,
                "runId": f"{one['runId']} {example}",
                "idempotencyKey": hashlib.sha256(f"{example} {nth} {index}".encode()).hexdigest(),
            }
            for index, one in enumerate(drawn)
        ]
        runs |= {one["runId"] for one in sent}
        append_batch(postgresql, sent)
        snowflake.append_batch(sent)
        if data.draw(st.booleans()):
            snowflake.project_pending(data.draw(st.integers(1, 3)))
    snowflake.project_all()
    for run in sorted(runs):
        there = _replayed(postgresql, run)
        assert as_text(snowflake.replay_snapshot(run)) == as_text(there)
        stored = snowflake.get_snapshot(run)
        assert stored is not None
        assert as_text(folded(stored)) == as_text(there)
        up_to = data.draw(st.integers(1, there["lastEventSeq"] + 1))
        assert as_text(snowflake.replay_snapshot(run, up_to)) == as_text(_replayed(postgresql, run, up_to))
        assert as_text(folded(snowflake.resync_run(run))) == as_text(there)
        postgresql.execute("select runstore.project_snapshot(%s)", [run])
        raised = [(code, seq, count) for code, of, seq, count, _ in postgres_alerts(postgresql) if of == run]
        assert [alert[:3] for alert in snowflake.raised(run)] == raised


@deterministic
@given(script=st.lists(st.lists(mostly_valid, max_size=8), min_size=6, max_size=10))
def test_any_batches_get_the_same_answers_and_refusals(
    postgresql: Connection, snowflake: BenchStore, script: list[list[Event]]
) -> None:
    for store in (postgresql, snowflake):
        _set(store, "max_signals_per_minute", str(LIMIT))
    example = next(numbers)
    for drawn in script:
        sent = [{**one, "runId": one["runId"] and f"{one['runId']} of {example}"} for one in drawn]
        assert _told_by_snowflake(snowflake, sent) == _told_by_postgresql(postgresql, sent)
    for run in (f"run-1 of {example}", f"run-2 of {example}"):
        there = postgresql.execute(
            "select run_seq, event_type, step_id, idempotency_key, payload from runstore.fetch_events(%s)", [run]
        ).fetchall()
        columns = ("run_seq", "event_type", "step_id", "idempotency_key", "payload")
        assert [tuple(row[name] for name in columns) for row in snowflake.fetch(run)] == there
        raised = [(code, seq, count) for code, of, seq, count, _ in postgres_alerts(postgresql) if of == run]
        assert [alert[:3] for alert in snowflake.raised(run)] == raised


Told = list[tuple[int, bool, bool]] | dict[str, Any]


def _told_by_postgresql(connection: Connection, sent: list[Event]) -> Told:
    try:
        return [(answer.run_seq, answer.idempotent, answer.persisted) for answer in append_batch(connection, sent)]
    except psycopg.Error as error:
        detail: dict[str, Any] = json.loads(error.diag.message_detail or "{}")
        return {"message": error.diag.message_primary, "detail": detail, "hint": error.diag.message_hint}


def _told_by_snowflake(store: BenchStore, sent: list[Event]) -> Told:
    try:
        return [(answer.run_seq, answer.idempotent, answer.persisted) for answer in store.append_batch(sent)]
    except Refusal as refusal:
        return refusal.told


def _set(store: Connection | BenchStore, key: str, value: str) -> None:
    if isinstance(store, BenchStore):
        store.set_config(key, value)
    else:
        store.execute("select runstore.set_config_value(%s, %s)", [key, value])


def _replayed(connection: Connection, run: str, up_to_seq: int | None = None) -> dict[str, Any]:
    row = connection.execute("select runstore.replay_snapshot(%s, %s)", [run, up_to_seq]).fetchone()
    assert row
    snapshot: dict[str, Any] = row[0]
    return snapshot
