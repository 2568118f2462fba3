"""Projecting runs, comparing what is stored with the log, and doing both while others are at work."""

import hashlib
import random
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import model
import psycopg
from appends import Event, event
from psycopg.rows import dict_row
from support import Connect, Connection

Snapshot = dict[str, Any]

# A session that must not wait for anybody: it fails soon if it does.
HASTY = "-c lock_timeout=3s"
ARTIFACTS = [{"uri": "s3://bucket/a", "kind": "log"}, {"uri": "s3://bucket/b", "kind": "table", "sizeBytes": 7}]
RUN_EVENTS = ("RunQueued", "RunApproved", "RunStarted", "RunPaused", "RunResumed")
RUN_ENDS = ("RunCompleted", "RunFailed", "RunCancelled")
STEP_EVENTS = ("StepStarted", "StepCompleted", "StepFailed", "StepSkipped")


def run_event(run: str, event_type: str, nth: int = 1, **fields: Any) -> Event:
    """Return an event about the whole run, the nth of its type."""
    return event(run, "", **{"eventType": event_type, "logicalAttemptId": nth, **fields, "stepId": None})


def refused_event(run: str, **fields: Any) -> Event:
    """Return an event that no run which has not been paused allows."""
    return run_event(run, "RunResumed", **fields)


def any_event(run: str, name: str) -> Event:
    """Return an event that may be valid or not, always the same one for a run and a name."""
    digest = hashlib.sha256(f"{run} {name}".encode()).hexdigest()
    chance = random.Random(digest)  # noqa: S311
    kinds = RUN_EVENTS if chance.random() < 0.2 else RUN_ENDS if chance.random() < 0.01 else STEP_EVENTS
    event_type = chance.choice((*kinds, "Noted"))
    return event(
        run,
        f"step-{chance.randrange(8)}",
        eventType=event_type,
        emittedAt=f"2026-02-16T09:{chance.randrange(60):02}:{chance.randrange(60):02}.{chance.randrange(1000):03}Z",
        logicalAttemptId=chance.choice((1, 1, 2, 3)),
        engineAttemptId=chance.randint(1, 3),
        payload={
            "artifactRefs": chance.choice((ARTIFACTS, ARTIFACTS[:1], [])),
            "error": {"code": name},
            "reason": name,
        },
        idempotencyKey=digest,
        **({"stepId": None, "engineRunRef": {"name": name}} if event_type in RUN_EVENTS + RUN_ENDS else {}),
    )


def value(connection: Connection, query: str, *parameters: object) -> Any:
    """Return the only value that a query answers with."""
    rows = connection.execute(query.encode(), parameters).fetchall()
    assert len(rows) == 1, rows
    assert len(rows[0]) == 1, rows
    return rows[0][0]


def project_pending(connection: Connection, max_runs: int = 100) -> int:
    """Make one step of the projector."""
    return int(value(connection, "select runstore.project_pending(%s)", max_runs))


def project_all(connection: Connection, timeout: float = 30) -> int:
    """Project until nothing is left, and return how many runs that were."""
    deadline, total = time.monotonic() + timeout, 0
    while done := project_pending(connection):
        total += done
        assert time.monotonic() < deadline, "the projector does not come to an end"
    return total


def get_snapshot(connection: Connection, run: str) -> Snapshot | None:
    """Return the stored snapshot."""
    stored: Snapshot | None = value(connection, "select runstore.get_snapshot(%s)", run)
    return stored


def project_snapshot(connection: Connection, run: str) -> Snapshot:
    """Project one run."""
    return dict(value(connection, "select runstore.project_snapshot(%s)", run))


def resync_run(connection: Connection, run: str, mode: str = "FULL") -> Snapshot:
    """Make one run's snapshot anew."""
    return dict(value(connection, "select runstore.resync_run(%s, %s)", run, mode))


def replay_snapshot(connection: Connection, run: str, up_to_seq: int | None = None) -> Snapshot:
    """Fold one run's log."""
    return dict(value(connection, "select runstore.replay_snapshot(%s, %s)", run, up_to_seq))


def folded(snapshot: Snapshot) -> Snapshot:
    """Return the part of a snapshot that the log alone decides."""
    return {name: part for name, part in snapshot.items() if name not in ("stale", "projectedAt")}


def set_mode(connection: Connection, mode: str) -> None:
    """Switch between asynchronous and inline projection."""
    connection.execute("select runstore.set_config_value('projection_mode', %s)", [mode])


def versions(connection: Connection) -> dict[str, tuple[int, int]]:
    """Return for each stored snapshot where it stands, and how often it was written after the first time."""
    rows = connection.execute("select run_id, last_event_seq, version from runstore.run_snapshots")
    return {run: (seq, version) for run, seq, version in rows}


def due(connection: Connection) -> list[str]:
    """Return the runs that are noted as due."""
    return [run for (run,) in connection.execute("select run_id from runstore.due_runs order by run_id")]


def alerts(connection: Connection) -> list[tuple[str, str, int, int, bool]]:
    """Return code, run, sequence and count of each alert, and whether it is open."""
    return connection.execute(
        "select code, run_id, run_seq, count, resolved_at is null from runstore.alerts order by 1, 2, 3, raised_at"
    ).fetchall()


def hold_step(holder: Connection, run: str, step: str) -> None:
    """Lock a step's row in an open transaction: whoever projects the step stops there, in the middle of its work."""
    holder.execute(
        "insert into runstore.run_steps as s "
        "(run_id, step_id, first_seq, status, logical_attempt_id, engine_attempt_id) "
        "values (%s, %s, 1, 'PENDING', 1, 1) on conflict (run_id, step_id) do update set status = s.status",
        [run, step],
    )


def unguarded(connection: Connection, statement: str) -> None:
    """Run a statement that the guard of the log would refuse."""
    connection.execute("alter table runstore.run_events disable trigger run_events_guard")
    connection.execute(statement.encode())
    connection.execute("alter table runstore.run_events enable always trigger run_events_guard")


def check_projections(connection: Connection, *, mended: bool = False) -> None:
    """Fail unless every run is projected to its end as its log says, each refusal is told once, and no work is left.

    No other alert may ever have been raised; closed ones may, where a log was damaged and mended.
    """
    with connection.cursor(row_factory=dict_row) as cursor:
        logs: dict[str, list[dict[str, Any]]] = defaultdict(list)
        for record in cursor.execute("select * from runstore.run_event_records order by run_id, run_seq"):
            logs[record["run_id"]].append(record)
    rows = connection.execute(
        "select run_id, due_from_seq, runstore.get_snapshot(run_id), runstore.replay_snapshot(run_id) "
        "from runstore.run_counters"
    ).fetchall()
    assert {row[0] for row in rows} == set(logs)
    refused = []
    for run, due_from_seq, snapshot, replayed in rows:
        expected, refusals = model.fold(logs[run])
        assert snapshot is not None, f"{run} was never projected"
        assert snapshot["lastEventSeq"] == len(logs[run]), f"{run} was left behind"
        assert not snapshot["stale"], f"{run} is held up"
        assert folded(snapshot) == replayed, f"{run} is not what its log says"
        assert replayed == expected, f"{run} is not what the rules say"
        assert due_from_seq is None, f"{run} is still marked as due"
        refused += [("INVALID_TRANSITION", run, refusal["runSeq"], 1, True) for refusal in refusals]
    assert due(connection) == []
    assert [alert for alert in alerts(connection) if alert[-1] or not mended] == sorted(refused)


class Reader:
    """Polls snapshots, and compares each with the log up to the same event."""

    def __init__(self, connection: Connection, runs: Sequence[str]) -> None:
        self.connection = connection
        self.newest = dict.fromkeys(runs, 0)
        self.replays: dict[tuple[str, int], Snapshot] = {}

    def read(self) -> None:
        """Read each run once."""
        for run, newest in self.newest.items():
            snapshot = get_snapshot(self.connection, run)
            if snapshot is None:
                assert newest == 0, f"the snapshot of {run} is gone"
                continue
            seq = snapshot["lastEventSeq"]
            assert seq >= newest, f"{run} went back from {newest} to {seq}"
            self.newest[run] = seq
            if (run, seq) not in self.replays:
                self.replays[run, seq] = replay_snapshot(self.connection, run, seq)
            assert folded(snapshot) == self.replays[run, seq], f"{run} is not what its log says up to {seq}"


class Victim:
    """A projector that is killed again and again, and comes back each time."""

    def __init__(self, connect: Connect, observer: Connection) -> None:
        self.connect = connect
        self.observer = observer
        self.session: Connection | None = None
        self.pid: int | None = None
        self.projected = 0
        self.kills = 0
        self._chance = random.Random(1)  # noqa: S311

    def work(self) -> None:
        """Project, in two steps of one transaction; begin anew with another connection when killed."""
        try:
            if self.session is None:
                self.session = self.connect(autocommit=False)
                self.pid = self.session.info.backend_pid
            done = project_pending(self.session, 2) + project_pending(self.session, 20)
            self.session.commit()
            self.projected += done
        except psycopg.OperationalError:
            assert self.session
            assert self.session.closed
            self.session = self.pid = None

    def kill(self) -> None:
        """Kill it at some moment."""
        time.sleep(self._chance.random() * 0.03)
        if self.pid is not None:
            self.observer.execute("select pg_terminate_backend(%s)", [self.pid])
            self.kills += 1


@contextmanager
def meanwhile(*calls: Callable[[], object]) -> Iterator[Callable[[], bool]]:
    """Make each call again and again, in a thread of its own, until the block ends; fail if one fails.

    The block is given a function that says whether all of them are still at it.
    """
    stop = threading.Event()

    def repeat(call: Callable[[], object]) -> None:
        while True:
            call()
            if stop.is_set():
                return

    with ThreadPoolExecutor(len(calls)) as pool:
        futures = [pool.submit(repeat, call) for call in calls]
        try:
            yield lambda: not any(future.done() for future in futures)
        finally:
            stop.set()
    for future in futures:
        future.result()
