"""Whatever happens around an append, its event is projected or noted; and nobody waits for whom it need not wait."""

from datetime import datetime, timezone

import psycopg
import pytest
from appends import append, append_batch, event, impatient, set_clock, waiting
from psycopg.types.json import Jsonb
from support import Connect, Connection

RUN = {"eventType": "RunStarted", "stepId": None}


def _settings(connection: Connection, **settings: str) -> None:
    for key, value in settings.items():
        connection.execute("select runstore.set_config_value(%s, %s)", [key, value])


def _project(connection: Connection) -> int:
    row = connection.execute("select runstore.project_pending()").fetchone()
    assert row
    return int(row[0])


def _watermark(connection: Connection, run: str) -> int | None:
    row = connection.execute("select (runstore.get_snapshot(%s) ->> 'lastEventSeq')::bigint", [run]).fetchone()
    assert row
    return None if row[0] is None else int(row[0])


def _damage(connection: Connection, statement: str) -> None:
    """Change the log behind the guard's back."""
    with connection.transaction():
        connection.execute("alter table runstore.run_events disable trigger run_events_guard")
        connection.execute(statement.encode())
        connection.execute("alter table runstore.run_events enable always trigger run_events_guard")


@pytest.mark.parametrize(("before", "after"), [("inline", "async"), ("async", "inline")])
def test_an_append_that_waits_while_the_mode_changes_is_not_forgotten(
    connect: Connect, before: str, after: str
) -> None:
    observer, first, second = connect(), connect(autocommit=False), connect()
    _settings(observer, projection_mode=before)
    append(first, event("run", "a"))
    first.commit()
    _project(observer)
    append(first, event("run", "b"))
    with waiting(observer, second, lambda: append(second, event("run", "c"))) as answer:
        _settings(observer, projection_mode=after)
        first.commit()
    assert answer.result().run_seq == 3
    _project(observer)
    assert _watermark(observer, "run") == 3


@pytest.mark.parametrize("batch", [False, True])
def test_an_append_behind_one_that_rolls_back_is_noted(connect: Connect, batch: bool) -> None:
    observer, first, second = connect(), connect(autocommit=False), connect()
    append(observer, event("run", "a"))
    _project(observer)
    append(first, event("run", "b"))
    call = (lambda: append_batch(second, [event("run", "c")])) if batch else (lambda: append(second, event("run", "c")))
    with waiting(observer, second, call):
        first.rollback()
    assert _project(observer) == 1
    assert _watermark(observer, "run") == 2


def test_a_duplicate_in_a_batch_is_not_held_to_the_transitions(connect: Connect) -> None:
    connection = connect()
    batch = [event("run", "", **RUN), event("run", "", eventType="RunResumed", stepId=None)]
    first = append_batch(connection, batch)
    _settings(connection, projection_mode="inline", enforce_transitions="true")
    again = append_batch(connection, batch)
    assert [answer.event_id for answer in again] == [answer.event_id for answer in first]
    assert all(answer.idempotent for answer in again)


def test_a_refused_transition_is_reported_by_its_own_place_in_the_batch(connect: Connect) -> None:
    connection = connect()
    _settings(connection, projection_mode="inline", enforce_transitions="true")
    shared = "7c1b0c5e-6f1c-4a53-8b1e-3c9f1f4f5a10"
    batch = [
        event("p", "", eventId=shared, **RUN),
        event("q", "", eventId=shared, eventType="RunResumed", stepId=None),
    ]
    with pytest.raises(psycopg.Error) as refusal:
        append_batch(connection, batch)
    assert refusal.value.sqlstate == "RS004"
    assert '"index": 1' in str(refusal.value.diag.message_detail)
    assert connection.execute("select count(*) from runstore.run_counters").fetchone() == (0,)


@pytest.mark.parametrize(
    "later",
    [
        event("run", "x", planId=""),
        event("run", "y", eventId="7c1b0c5e-6f1c-4a53-8b1e-3c9f1f4f5a10"),
        event("run", "z", tenantId="other"),
    ],
    ids=["malformed", "event id", "identity"],
)
def test_the_lowest_refused_element_of_a_batch_is_reported(connect: Connect, later: dict[str, object]) -> None:
    connection = connect()
    _settings(connection, projection_mode="inline", enforce_transitions="true")
    append(connection, event("run", "s", eventId="7c1b0c5e-6f1c-4a53-8b1e-3c9f1f4f5a10"))
    batch = [event("run", "a"), event("run", "", eventType="RunResumed", stepId=None), later]
    with pytest.raises(psycopg.Error) as refusal:
        append_batch(connection, batch)
    assert refusal.value.sqlstate == "RS004"
    assert '"index": 1' in str(refusal.value.diag.message_detail)
    assert connection.execute("select last_seq from runstore.run_counters").fetchall() == [(1,)]


def test_project_snapshot_does_not_wait_for_an_open_append(connect: Connect, dsn: str) -> None:
    observer, open_append = connect(), connect(autocommit=False)
    append(observer, event("run", "a"))
    _project(observer)
    append(open_append, event("run", "b"))
    with psycopg.connect(impatient(dsn), autocommit=True) as projector:
        row = projector.execute("select runstore.project_snapshot('run') ->> 'lastEventSeq'").fetchone()
    assert row == ("1",)
    open_append.commit()
    assert _project(observer) == 1
    assert _watermark(observer, "run") == 2


def test_projecting_and_appending_across_two_runs_does_not_deadlock(connect: Connect) -> None:
    observer, one, other = connect(), connect(autocommit=False), connect(autocommit=False)
    for run in ("x", "z"):
        append(observer, event(run, "a"))
    _project(observer)
    append(other, event("x", "b"))
    one.execute("select runstore.project_snapshot('z')")
    one.execute("select runstore.project_snapshot('x')")
    append(other, event("z", "b"))
    one.commit()
    other.commit()
    assert _project(observer) == 2


def test_an_inline_append_leaves_a_run_that_a_projector_holds_to_it(connect: Connect, dsn: str) -> None:
    observer, projector = connect(), connect(autocommit=False)
    append(observer, event("run", "a"))
    projector.execute("select from runstore.due_runs for update")
    _settings(observer, projection_mode="inline")
    with psycopg.connect(impatient(dsn), autocommit=True) as client:
        assert append(client, event("run", "b")).run_seq == 2
    projector.rollback()
    assert _project(observer) == 1
    assert _watermark(observer, "run") == 2


def test_an_alert_that_someone_is_acknowledging_does_not_hold_up_the_projector(connect: Connect, dsn: str) -> None:
    observer, operator = connect(), connect(autocommit=False)
    set_clock(observer, datetime(2026, 1, 1, tzinfo=timezone.utc))
    for step in ("a", "b", "c"):
        append(observer, event("gapped", step))
    observer.execute("create table public.kept as select * from runstore.run_events where run_seq = 2")
    _damage(observer, "delete from runstore.run_events where run_seq = 2")
    _project(observer)
    operator.execute("select runstore.ack_alert(alert_id) from runstore.alerts")
    observer.execute("insert into runstore.run_events select * from public.kept")
    append(observer, event("other", "a"))
    set_clock(observer, datetime(2026, 1, 2, tzinfo=timezone.utc))
    with psycopg.connect(impatient(dsn), autocommit=True) as projector:
        assert _project(projector) == 2
        projector.execute("select runstore.check_health()")
        assert append(projector, event("other", "b")).run_seq == 2
    operator.commit()
    observer.execute("select runstore.check_health()")
    assert _watermark(observer, "gapped") == 3
    rows = observer.execute("select code, resolved_at is not null from runstore.alerts where run_id <> ''").fetchall()
    assert rows == [("PROJECTOR_GAP_DETECTED", True)]


def test_a_lock_timeout_does_not_park_a_run(connect: Connect) -> None:
    observer, holder, client = connect(), connect(autocommit=False), connect(options="-c lock_timeout=100ms")
    append(observer, event("run", "a"))
    holder.execute("select from runstore.due_runs for update")
    with pytest.raises(psycopg.errors.LockNotAvailable):
        client.execute("select runstore.project_snapshot('run')")
    holder.rollback()
    assert observer.execute("select code from runstore.alerts").fetchall() == []
    assert _project(observer) == 1


@pytest.mark.parametrize(
    "damage",
    [
        "update runstore.run_events set emitted_at = 'infinity' where run_seq = 2",
        "update runstore.run_events set payload = jsonb_build_object('error', "
        "(repeat('[', 1500) || repeat(']', 1500))::jsonb) where run_seq = 2",
    ],
    ids=["infinite time", "deep error"],
)
def test_what_no_snapshot_could_show_parks_its_run_and_hurts_no_reader(connect: Connect, damage: str) -> None:
    connection = connect()
    append(connection, event("bad", "a"))
    append(connection, event("bad", "b", eventType="StepFailed"))
    append(connection, event("good", "a"))
    _damage(connection, damage)
    assert _project(connection) == 1
    rows = connection.execute("select run_id, snapshot_data ->> 'stale' from runstore.run_snapshots order by 1")
    assert rows.fetchall() == [("bad", "true"), ("good", "false")]
    assert connection.execute("select code from runstore.alerts").fetchall() == [("PROJECTION_FAILED",)]


def test_a_run_whose_first_projection_failed_is_listed_by_its_first_event(connect: Connect) -> None:
    connection = connect()
    first = append(connection, event("run", "a"))
    append(connection, event("run", "b"))
    _damage(connection, "update runstore.run_events set step_id = null where run_seq = 2")
    assert _project(connection) == 0
    assert connection.execute("select begun_at, stale from runstore.list_runs()").fetchall() == [
        (first.persisted_at, True)
    ]


def test_one_call_brings_a_run_of_thousands_of_events_to_its_end(connect: Connect) -> None:
    connection = connect()
    append_batch(connection, [event("run", f"step-{number}") for number in range(3000)])
    assert _project(connection) == 1
    assert _watermark(connection, "run") == 3000
    assert _project(connection) == 0


def test_a_run_that_failed_gets_its_turn_while_others_keep_coming(connect: Connect) -> None:
    connection = connect()
    set_clock(connection, datetime(2026, 1, 1, tzinfo=timezone.utc))
    append(connection, event("failed", "a"))
    _damage(connection, "update runstore.run_events set step_id = null")
    assert _project(connection) == 0
    _damage(connection, "update runstore.run_events set step_id = 'a'")
    set_clock(connection, datetime(2026, 1, 2, tzinfo=timezone.utc))
    append_batch(connection, [event(f"run-{number}", "a") for number in range(5)])
    connection.execute("select runstore.project_pending(1)")
    assert _watermark(connection, "failed") == 1


def test_a_resync_keeps_the_snapshot_when_events_below_it_are_missing(connect: Connect) -> None:
    connection = connect()
    for sent in (event("run", "", **RUN), event("run", "a"), event("run", "b")):
        append(connection, sent)
    _project(connection)
    _damage(connection, "delete from runstore.run_events where run_seq = 2")
    row = connection.execute("select runstore.resync_run('run')").fetchone()
    assert row
    assert (row[0]["lastEventSeq"], row[0]["status"], row[0]["stale"]) == (3, "RUNNING", True)
    rows = connection.execute("select code, run_seq, details from runstore.alerts").fetchall()
    assert rows == [("PROJECTOR_GAP_DETECTED", 2, {"lastSeq": 1, "nextSeq": 3})]


def test_a_second_gap_is_told_after_the_first_has_closed(connect: Connect) -> None:
    connection = connect()
    append_batch(connection, [event("run", f"step-{number}") for number in range(9)])
    connection.execute("create table public.kept as select * from runstore.run_events")
    _damage(connection, "delete from runstore.run_events where run_seq in (3, 8)")
    connection.execute("select runstore.project_snapshot('run')")
    connection.execute("insert into runstore.run_events select * from public.kept where run_seq = 3")
    connection.execute("select runstore.project_snapshot('run')")
    rows = connection.execute("select run_seq, resolved_at is not null from runstore.alerts order by 1").fetchall()
    assert rows == [(3, True), (8, False)]


def test_many_runs_with_refused_events_are_projected_together(connect: Connect) -> None:
    connection = connect()
    batch = [event(f"run-{number}", "", eventType="RunResumed", stepId=None) for number in range(1200)]
    connection.execute("select runstore.append_events(%s)", [Jsonb(batch)])
    row = connection.execute("select runstore.project_pending(10000)").fetchone()
    assert row == (1200,)
    assert connection.execute("select count(*), sum(count) from runstore.alerts").fetchone() == (1200, 1200)


def test_an_event_that_is_missing_below_the_snapshot_keeps_its_alert_open(connect: Connect) -> None:
    connection = connect()
    set_clock(connection, datetime(2026, 1, 1, tzinfo=timezone.utc))
    append_batch(connection, [event("run", step) for step in ("a", "b", "c")])
    _project(connection)
    connection.execute("create table public.kept as select * from runstore.run_events where run_seq = 2")
    _damage(connection, "delete from runstore.run_events where run_seq = 2")
    connection.execute("select runstore.resync_run('run')")
    open_alerts = "select count(*) from runstore.alerts where resolved_at is null and run_id = 'run'"
    for day in (2, 3):
        set_clock(connection, datetime(2026, 1, day, tzinfo=timezone.utc))
        _project(connection)
        connection.execute("select runstore.check_health()")
        assert connection.execute(open_alerts).fetchone() == (1,)
    connection.execute("insert into runstore.run_events select * from public.kept")
    set_clock(connection, datetime(2026, 1, 4, tzinfo=timezone.utc))
    assert _project(connection) == 1
    assert connection.execute(open_alerts).fetchone() == (0,)


def test_the_answer_is_0_only_when_nothing_is_left_to_do(connect: Connect) -> None:
    connection = connect()
    append_batch(connection, [event(f"bad-{number}", "a") for number in range(3)])
    append(connection, event("good", "a"))
    _damage(connection, "update runstore.run_events set step_id = null where run_id like 'bad-%'")
    row = connection.execute("select runstore.project_pending(1)").fetchone()
    assert row == (1,)
    assert _watermark(connection, "good") == 1
