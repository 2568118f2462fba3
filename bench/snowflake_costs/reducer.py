"""The reducer against PostgreSQL's replay_snapshot() of the same runs, and its growth.

The reducer runs in V8, in chunks as REPLAY_SNAPSHOT makes them: each call gets the state and the chunk's events as JSON
text and gives the next state as JSON text, and that is measured, parsing included. PostgreSQL's side is the whole call,
timed in the server. What an account takes to start a function, to read rows and to aggregate them into an array is not
in it: it cannot be known here.
"""

import json
import statistics
import time
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from javascript import Function
from lab import Connection, Lab
from projection import runs
from projection.runs import DEEP, WIDE, Run

_DATABASE = "bench_reducer"
_OTHERS = 100
_CHUNK_EVENTS, _CHUNK_SIZE = 10_000, 4_000_000

_EVENTS = """
select
    300 + coalesce(length(e.payload::text), 0) + coalesce(length(e.engine_run_ref::text), 0),
    jsonb_strip_nulls(jsonb_build_object(
        'runSeq', e.run_seq, 'eventId', e.event_id, 'eventType', e.event_type, 'stepId', e.step_id,
        'engineAttemptId', e.engine_attempt_id, 'logicalAttemptId', e.logical_attempt_id,
        'emittedAt', runstore.utc_text(e.emitted_at), 'engineRunRef', e.engine_run_ref,
        'artifactRefs', e.payload -> 'artifactRefs', 'error', e.payload -> 'error', 'reason', e.payload -> 'reason'
    ))::text
from runstore.run_events as e
where e.run_id = %s
order by e.run_seq
"""
_REPLAY = """
create function public.replay_ms(p_run_id text) returns double precision
language plpgsql
as $$
declare
    v_began constant timestamptz := clock_timestamp();
begin
    perform runstore.replay_snapshot(p_run_id);
    return extract(epoch from clock_timestamp() - v_began) * 1000;
end
$$
"""
_IDENTITY = ("runId", "tenantId", "projectId", "environmentId")


@dataclass(frozen=True)
class Scale:
    """How much is measured."""

    rounds: int
    calls: dict[int, int]
    """Folds per round by the number of events in the run."""


FULL = Scale(rounds=5, calls={1000: 20, 10_000: 6, 100_000: 2})
QUICK = Scale(rounds=2, calls={100: 4, 1000: 2})


def measure(lab: Lab, scale: Scale) -> dict[str, Any]:
    """Fold every run on both sides in turns, and check that both come to the same snapshot."""
    fold = Function("project/fold_events.sql")
    kinds = [(shape, events) for shape in (WIDE, DEEP) for events in scale.calls]
    measured = [Run(number, shape, events) for number, (shape, events) in enumerate(kinds, start=1)]
    lab.create(_DATABASE)
    with lab.connect(_DATABASE, jit="off") as connection:
        runs.store(connection, measured, _OTHERS)
        connection.execute(_REPLAY)
        chunks = {run: _chunks(connection, run) for run in measured}
        first = {run: _first_state(connection, run) for run in measured}
        times: dict[Run, dict[str, list[float]]] = {run: {"reducer": [], "postgresql": []} for run in measured}
        for number in range(scale.rounds + 1):
            for run in measured:
                taken = _round(connection, fold, run, first[run], chunks[run], scale.calls[run.events])
                if number:  # the first round warms both sides up
                    for side, value in taken.items():
                        times[run][side].append(value)
                else:
                    _check(connection, fold, run, first[run], chunks[run])
        machine = lab.describe()
    lab.drop(_DATABASE)
    return {
        "machine": {name: machine[name] for name in ("cores", "memory_gb", "postgresql")},
        "runs": [
            {"shape": run.shape, "events": run.events, "steps": run.steps, "chunks": len(chunks[run]), **times[run]}
            for run in measured
        ],
        "growth": [
            {"shape": long.shape, "from": short.events, "to": long.events, **_growth(times, short, long)}
            for short, long in pairwise(measured)
            if short.shape == long.shape
        ],
    }


def _round(
    connection: Connection, fold: Function, run: Run, first: str, chunks: list[str], calls: int
) -> dict[str, float]:
    taken: dict[str, list[float]] = {"reducer": [], "postgresql": []}
    for number in range(calls):
        for side in sorted(taken, reverse=bool(number % 2)):
            if side == "reducer":
                began = time.perf_counter()
                _folded(fold, first, chunks)
                taken[side].append((time.perf_counter() - began) * 1000)
            else:
                row = connection.execute("select public.replay_ms(%s)", [run.id]).fetchone()
                assert row is not None
                taken[side].append(row[0])
    return {side: statistics.median(values) for side, values in taken.items()}


def _folded(fold: Function, state: str, chunks: list[str]) -> str:
    for chunk in chunks:
        answer = fold.text_of(state, chunk)
        assert answer is not None
        state = answer
    return state


def _check(connection: Connection, fold: Function, run: Run, first: str, chunks: list[str]) -> None:
    row = connection.execute("select runstore.replay_snapshot(%s)", [run.id]).fetchone()
    assert row is not None
    if json.loads(_folded(fold, first, chunks))["snapshot"] != row[0]:
        raise RuntimeError(f"the reducer and PostgreSQL differ about a {run.shape} run of {run.events} events")


def _first_state(connection: Connection, run: Run) -> str:
    row = connection.execute("select runstore.replay_snapshot(%s, 1)", [run.id]).fetchone()
    assert row is not None
    return json.dumps({"snapshot": {name: row[0][name] for name in _IDENTITY}})


def _chunks(connection: Connection, run: Run) -> list[str]:
    """Cut the run's events as REPLAY_SNAPSHOT does."""
    chunks: list[str] = []
    events: list[str] = []
    size = 0
    for length, event in connection.execute(_EVENTS, [run.id]).fetchall():
        if events and (len(events) == _CHUNK_EVENTS or size + length > _CHUNK_SIZE):
            chunks.append(f"[{','.join(events)}]")
            events, size = [], 0
        events.append(event)
        size += length
    return [*chunks, f"[{','.join(events)}]"]


def _growth(times: dict[Run, dict[str, list[float]]], short: Run, long: Run) -> dict[str, float]:
    """Compare the time per event in a run with that in one that is a tenth as long."""
    return {
        side: (statistics.median(times[long][side]) / long.events)
        / (statistics.median(times[short][side]) / short.events)
        for side in ("reducer", "postgresql")
    }
