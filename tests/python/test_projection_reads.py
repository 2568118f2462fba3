"""Whoever reads a snapshot sees one whole projection, whatever projectors do meanwhile."""

import random
import time
from functools import partial

import pytest
from appends import Ack, append, append_batch, append_named, event, impatient, set_level, together
from checker import check_log
from projections import (
    ARTIFACTS,
    HASTY,
    Reader,
    any_event,
    check_projections,
    folded,
    get_snapshot,
    meanwhile,
    project_all,
    project_pending,
    project_snapshot,
    replay_snapshot,
    resync_run,
    run_event,
    set_mode,
)
from support import Connect

RUNS = [f"run-{n}" for n in range(4)]


@pytest.fixture
def dsn(dsn: str) -> str:
    """A fresh database, in which nobody waits for ever."""
    return impatient(dsn)


@pytest.mark.parametrize("resyncs", [False, True], ids=["projected", "resynced"])
@pytest.mark.parametrize("mode", ["async", "inline"])
def test_a_reader_never_sees_half_a_projection(connect: Connect, mode: str, resyncs: bool) -> None:
    observer = connect()
    set_mode(observer, mode)
    readers = [Reader(connect(), RUNS) for _ in range(2)]
    writers, projectors, resyncer = [connect(), connect()], [connect(), connect()], connect()
    deadline = time.monotonic() + 60

    def write(client: int) -> list[Ack]:
        chance = random.Random(client)  # noqa: S311
        acknowledged: list[Ack] = []
        while min(len(reader.replays) for reader in readers) < 200 and all_go_on():
            assert time.monotonic() < deadline, "the readers see nothing new"
            name = f"{client}-{len(acknowledged)}"
            if chance.random() < 0.5:
                sent = [any_event(chance.choice(RUNS), f"{name}-{n}") for n in range(chance.randint(2, 12))]
                acknowledged += zip(sent, append_batch(writers[client], sent), strict=True)
            else:
                single = any_event(chance.choice(RUNS), name)
                acknowledged.append((single, append_named(writers[client], single)))
        return acknowledged

    append_batch(observer, [event(run, f"step-{n}", payload={"artifactRefs": ARTIFACTS}) for run in RUNS for n in "ab"])
    append_batch(observer, [run_event(run, "RunStarted") for run in RUNS])
    project_all(observer)
    with meanwhile(
        *(reader.read for reader in readers),
        *(partial(project_pending, projector, 2) for projector in projectors),
        *([lambda: [resync_run(resyncer, run) for run in RUNS]] if resyncs else []),
    ) as all_go_on:
        acknowledged = together(len(writers), write)
    project_all(observer)
    check_log(observer, acknowledged, everything=False)
    check_projections(observer)


@pytest.mark.parametrize("level", ["repeatable read", "serializable"])
def test_a_transaction_with_one_view_of_the_store_keeps_one_snapshot(connect: Connect, level: str) -> None:
    observer, reader = connect(), set_level(connect(autocommit=False), level)
    append(observer, run_event("run", "RunStarted"))
    append(observer, event("run", "a", payload={"artifactRefs": ARTIFACTS}))
    project_all(observer)
    first = get_snapshot(reader, "run")
    append(observer, event("run", "b"))
    project_all(observer)
    append_batch(observer, [event("run", "a", logicalAttemptId=2), event("new", "a")])
    resync_run(observer, "run")
    assert get_snapshot(reader, "run") == first
    assert first is not None
    assert folded(first) == replay_snapshot(reader, "run")
    assert get_snapshot(reader, "new") is None
    reader.commit()
    newest = get_snapshot(reader, "run")
    assert newest is not None
    assert newest["lastEventSeq"] == 4


@pytest.mark.parametrize("mode", ["async", "inline"])
def test_nobody_sees_a_projection_before_it_is_committed(connect: Connect, mode: str) -> None:
    observer, session, reader = connect(), connect(autocommit=False), connect(options=HASTY)
    set_mode(observer, mode)
    append(observer, event("run", "a"))
    project_all(observer)
    before = get_snapshot(reader, "run")
    append(session, event("run", "b"))
    append(session, run_event("new", "RunStarted"))
    own = [project_snapshot(session, run)["lastEventSeq"] for run in ("run", "new")]
    assert own == [2, 1]
    assert get_snapshot(reader, "run") == before
    assert get_snapshot(reader, "new") is None
    assert [row[0] for row in reader.execute("select run_id from runstore.list_runs()")] == ["run"]
    session.rollback()
    assert get_snapshot(reader, "run") == before
    check_projections(observer)


@pytest.mark.parametrize("mode", ["FULL", "FROM_SNAPSHOT"])
def test_a_resync_that_is_rolled_back_leaves_the_snapshot_as_it_was(connect: Connect, mode: str) -> None:
    observer, session, reader = connect(), connect(autocommit=False), connect(options=HASTY)
    append(observer, event("run", "a"))
    project_all(observer)
    before = get_snapshot(reader, "run")
    append(observer, event("run", "b"))
    assert resync_run(session, "run", mode)["lastEventSeq"] == 2
    assert get_snapshot(reader, "run") == before
    session.rollback()
    assert get_snapshot(reader, "run") == before
    project_all(observer)
    check_projections(observer)
