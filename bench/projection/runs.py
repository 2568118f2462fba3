"""Runs that are there before a measurement begins: written in bulk, exactly as appending would leave them.

Wide: a run starts, every step starts and completes, the run completes: two events per step. Deep: few steps, most
events belong to retries (each attempt fails, the last one completes), and every tenth is a signal or of a type of the
engine's own. Open runs are wide ones that have not ended. Numbers, ids and keys are those of the append benchmark.
"""

from dataclasses import dataclass
from string import Template

from event import COLUMNS, FIELDS, RUN_ID_SQL, STORED_KEY_SQL, run_id
from lab import Connection

WIDE, DEEP, OPEN = "wide", "deep", "open"
OTHERS_EVENTS = 22

_STORE_SECONDS_PER_EVENT = 0.00004

_MOST_STEPS = 1000
_EVENTS_PER_DEEP_STEP = 20
_OTHERS_FROM = 1000

_COUNTER = Template("""
insert into runstore.run_counters (run_id, tenant_id, project_id, environment_id, last_seq, last_persisted_at)
select $run_id, %(tenant)s, %(project)s, %(environment)s, %(events)s, now()
from generate_series(%(first)s::bigint, %(last)s::bigint) as i
""").substitute(run_id=RUN_ID_SQL)

_WIDE_EVENTS = """
select
    j,
    case
        when j = 1 then 'RunStarted'
        when j = %(ends_at)s then 'RunCompleted'
        when mod(j, 2) = 0 then 'StepStarted'
        else 'StepCompleted'
    end as event_type,
    case when j <> 1 and j <> %(ends_at)s then j / 2 end as step,
    1 as attempt,
    null::jsonb as more
from generate_series(1, %(events)s::bigint) as j
"""

# k counts the events between the run's first and last, p the pairs that an attempt's start and end make.
_DEEP_EVENTS = """
select
    j,
    case
        when j = 1 then 'RunStarted'
        when j = %(ends_at)s then 'RunCompleted'
        when mod(k, 20) = 9 then 'SignalAccepted'
        when mod(k, 20) = 19 then 'EngineHeartbeat'
        when mod(k - k / 10, 2) = 0 then 'StepStarted'
        when p + %(steps)s < %(pairs)s then 'StepFailed'
        else 'StepCompleted'
    end as event_type,
    case when mod(k, 10) <> 9 and j <> 1 and j <> %(ends_at)s then 1 + mod(p, %(steps)s) end as step,
    case when mod(k, 10) <> 9 and j <> 1 and j <> %(ends_at)s then 1 + p / %(steps)s else 1 end as attempt,
    case
        when mod(k, 10) <> 9 and mod(k - k / 10, 2) = 1 and p + %(steps)s < %(pairs)s
            then '{"error": {"code": "TIMEOUT", "message": "no answer within 30 s"}}'::jsonb
    end as more
from generate_series(1, %(events)s::bigint) as j
cross join lateral (select j - 2 as k, (j - 2 - (j - 2) / 10) / 2 as p) as n
"""

_EVENTS = Template("""
insert into runstore.run_events ($columns, engine_run_ref)
select
    $run_id, j, gen_random_uuid(), s.event_type, 'model.step_' || s.step, 1, s.attempt, %(plan)s, %(plan_version)s,
    decode($key, 'hex'), %(payload)s::jsonb || coalesce(s.more, '{}'),
    timestamptz '2026-01-15 10:00:00Z' + j * interval '10 ms', now(), %(adapter)s,
    case s.event_type when 'RunStarted' then '{"engine": "temporal", "workflowId": "orders-daily"}'::jsonb end
from generate_series(%(first)s::bigint, %(last)s::bigint) as i
cross join ($events) as s
order by i, j
""")
_NOTE_ALL = """
insert into runstore.due_runs (run_id, consumer, due_since)
select r.run_id, 'projector', r.last_persisted_at from runstore.run_counters as r
"""
_WRONG = """
select count(*)
from (select t.run_id from runstore.run_states as t order by t.projected_at desc limit %s) as t
where
    runstore.get_snapshot(t.run_id) - 'stale' - 'projectedAt' is distinct from runstore.replay_snapshot(t.run_id)
"""
_KEYS = {"columns": ", ".join(COLUMNS), "run_id": RUN_ID_SQL, "key": STORED_KEY_SQL}
_STATEMENTS = {
    WIDE: _EVENTS.substitute(_KEYS, events=_WIDE_EVENTS),
    DEEP: _EVENTS.substitute(_KEYS, events=_DEEP_EVENTS),
    OPEN: _EVENTS.substitute(_KEYS, events=_WIDE_EVENTS),
}


@dataclass(frozen=True)
class Run:
    """A stored run: its number, what it is made of and how many events it has."""

    number: int
    shape: str
    events: int

    @property
    def id(self) -> str:
        """The run's id."""
        return run_id(self.number)

    @property
    def steps(self) -> int:
        """How many steps its snapshot has."""
        if self.shape == DEEP:
            return min(self._deep_steps, self._pairs)
        return self.events // 2 if self.shape == OPEN else (self.events - 1) // 2

    @property
    def _deep_steps(self) -> int:
        return max(1, min(_MOST_STEPS, self.events // _EVENTS_PER_DEEP_STEP))

    @property
    def _pairs(self) -> int:
        inner = self.events - 2
        return (inner - inner // 10 + 1) // 2

    def store(self, connection: Connection, copies: int = 1) -> None:
        """Write the run's events and its counter, and the same for the numbers that follow it."""
        values = {
            **FIELDS,
            "first": self.number,
            "last": self.number + copies - 1,
            "events": self.events,
            "ends_at": 0 if self.shape == OPEN else self.events,
            "steps": self._deep_steps,
            "pairs": self._pairs,
        }
        connection.execute(_COUNTER, values)
        connection.execute(_STATEMENTS[self.shape], values)


def store(connection: Connection, runs: list[Run], others: int) -> None:
    """Write these runs and so many others, project them all, and leave the tables as after a vacuum.

    The others make the store an ordinary one: a few long runs among many short ones, as the planner sees it.
    """
    connection.execute("set synchronous_commit = off")
    Run(_OTHERS_FROM, WIDE, OTHERS_EVENTS).store(connection, others)
    connection.execute(_NOTE_ALL)
    connection.execute("vacuum (freeze, analyze)")
    drain(connection)
    for run in runs:
        run.store(connection)
    connection.execute("vacuum (freeze, analyze)")
    for run in [*runs, Run(_OTHERS_FROM, WIDE, OTHERS_EVENTS)]:
        _project(connection, run)
    connection.execute("vacuum (freeze, analyze)")


def store_seconds(runs: list[Run], others: int) -> float:
    """Return about how many seconds store() takes."""
    return 1 + (others * OTHERS_EVENTS + sum(run.events for run in runs)) * _STORE_SECONDS_PER_EVENT


def drain(connection: Connection) -> None:
    """Project everything that waits; raise when something is left."""
    connection.execute("set synchronous_commit = off")
    while _number(connection, "select runstore.project_pending(1000)"):
        pass
    left = _number(connection, "select count(*) from runstore.due_runs")
    if left:
        raise RuntimeError(f"{left} runs cannot be projected")


def check_snapshots(connection: Connection, most: int = 200) -> None:
    """Raise unless snapshots that are there, up to so many, are what a replay of their logs gives."""
    wrong = _number(connection, _WRONG, most)
    if wrong:
        raise RuntimeError(f"{wrong} snapshots differ from the replay of their runs")


def _project(connection: Connection, run: Run) -> None:
    """Bring the run's snapshot up to date; raise unless it is what such a run must look like, and what a replay gives.

    A benchmark of a fold that is wrong would measure nothing.
    """
    row = connection.execute(
        "select runstore.resync_run(%(run)s, 'FULL') - 'stale' - 'projectedAt', runstore.replay_snapshot(%(run)s)",
        {"run": run.id},
    ).fetchone()
    assert row is not None
    stored, replayed = row
    status = "RUNNING" if run.shape == OPEN else "COMPLETED"
    found = (stored["status"], stored["consistency"], stored["lastEventSeq"], len(stored["steps"]))
    if stored != replayed or found != (status, "CONSISTENT", run.events, run.steps):
        raise RuntimeError(f"the snapshot of a {run.shape} run of {run.events} events is not right: {found}")


def _number(connection: Connection, statement: str, *values: int) -> int:
    row = connection.execute(statement.encode(), values).fetchone()
    assert row is not None
    return int(row[0])
