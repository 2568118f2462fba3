"""A parked run and one with a gap, among many, while two projectors work: the others do not notice."""

from datetime import datetime, timedelta, timezone
from functools import partial

import pytest
from appends import Ack, append_batch, append_named, event, impatient, set_clock, together
from projections import (
    alerts,
    any_event,
    check_projections,
    due,
    folded,
    get_snapshot,
    meanwhile,
    project_all,
    project_pending,
    replay_snapshot,
    set_mode,
    unguarded,
)
from support import Connect, Connection

HEALTHY = [f"run-{n}" for n in range(8)]
DAMAGED = ["gapped", "parked"]
MORNING = datetime(2026, 1, 1, 6, tzinfo=timezone.utc)


@pytest.fixture
def dsn(dsn: str) -> str:
    """A fresh database, in which nobody waits for ever."""
    return impatient(dsn)


def _damage(connection: Connection) -> None:
    """Take one event away, and another one's step: no append could have done that."""
    connection.execute("create table public.lost as select * from runstore.run_events where step_id = 'lost'")
    unguarded(connection, "delete from runstore.run_events where step_id = 'lost'")
    unguarded(connection, "update runstore.run_events set step_id = null where step_id = 'spoilt'")


def _mend(connection: Connection) -> None:
    unguarded(connection, "insert into runstore.run_events select * from public.lost")
    unguarded(
        connection,
        "update runstore.run_events set step_id = 'spoilt' where step_id is null and event_type = 'StepCompleted'",
    )


@pytest.mark.parametrize("mode", ["async", "inline"])
def test_damaged_runs_do_not_hold_up_the_others_and_go_on_when_they_are_mended(connect: Connect, mode: str) -> None:
    observer, writers, projectors = connect(), [connect(), connect()], [connect(), connect()]
    set_clock(observer, MORNING)
    append_batch(observer, [event(run, "start") for run in HEALTHY + DAMAGED])
    project_all(observer)
    append_batch(observer, [event("gapped", "lost"), event("parked", "spoilt")])
    append_batch(observer, [event(run, "after") for run in DAMAGED])
    _damage(observer)
    set_mode(observer, mode)

    def write(client: int) -> list[Ack]:
        sent = [any_event(run, f"{client}-{n}") for n in range(12) for run in HEALTHY + DAMAGED]
        return [(item, append_named(writers[client], item)) for item in sent]

    with meanwhile(*(partial(project_pending, projector, 3) for projector in projectors)):
        acknowledged = together(2, write)
    assert all(answer.persisted for _, answer in acknowledged)
    project_all(observer)

    for run in HEALTHY:
        snapshot = get_snapshot(observer, run)
        assert snapshot is not None
        assert (snapshot["lastEventSeq"], snapshot["stale"]) == (25, False)
        assert folded(snapshot) == replay_snapshot(observer, run)
    for run in DAMAGED:
        snapshot = get_snapshot(observer, run)
        assert snapshot is not None
        assert (snapshot["lastEventSeq"], snapshot["stale"]) == (1, True)
    assert due(observer) == DAMAGED
    assert [alert for alert in alerts(observer) if alert[0] != "INVALID_TRANSITION"] == [
        ("PROJECTION_FAILED", "parked", 2, 1, True),
        ("PROJECTOR_GAP_DETECTED", "gapped", 2, 1, True),
    ]

    _mend(observer)
    assert project_all(observer) == 0, "it is not yet time for another attempt"
    set_clock(observer, MORNING + timedelta(hours=1))
    with meanwhile(*(partial(project_pending, projector, 3) for projector in projectors)):
        project_all(observer)
    project_all(observer)
    check_projections(observer, mended=True)


def test_runs_that_fail_again_and_again_do_not_take_the_place_of_others(connect: Connect) -> None:
    observer = connect()
    set_clock(observer, MORNING)
    spoilt = [f"spoilt-{n}" for n in range(30)]
    append_batch(observer, [event(run, "spoilt") for run in spoilt])
    _damage(observer)
    assert project_all(observer) == 0
    assert due(observer) == sorted(spoilt)
    for hour in range(1, 4):
        set_clock(observer, MORNING + timedelta(hours=hour))
        append_batch(observer, [event(run, f"{hour}") for run in HEALTHY])
        done = [project_pending(observer, 4) for _ in range(4)]
        assert sum(done) == len(HEALTHY), done
    _mend(observer)
    set_clock(observer, MORNING + timedelta(hours=9))
    assert project_all(observer) == len(spoilt)
    check_projections(observer, mended=True)
