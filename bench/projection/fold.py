"""The full fold of a run against jsonb_agg of the rows that it reads, and against a lean group by of the same rows.

Every statement is a PL/pgSQL function that times itself, so that no client is part of the picture. Their plans are
generic, as those of the functions that fold are. The rows of the fold and of the group by are kept in a materialised
query, as store_fold() does it: a bare count(*) would let the planner leave out most of the work.
"""

import statistics
from itertools import pairwise

from lab import Connection, Lab
from progress import Progress
from projection import runs
from projection.results import EVENT_US, MS, Comparison, Part
from projection.runs import DEEP, WIDE, Run
from projection.scale import Scale

PART = "fold"

_DATABASE = "bench_fold"

BASE, GROUP_BY, FOLD, REPLAY, RESYNC = "jsonb_agg", "group by", "fold", "replay_snapshot", "resync_run"
_LIMIT = 0.5
# One sort of n events costs n log n: ten times the events may cost so much more per event.
_LINEAR = 1.25
_LINEAR_FROM = 10_000

_FUNCTION = """
create function bench.{name}(p_run_id text) returns double precision
language plpgsql
set plan_cache_mode = force_generic_plan
as $$
declare
    v_spans runstore.fold_span[];
    v_began constant timestamptz := clock_timestamp();
begin
    {body}
    return extract(epoch from clock_timestamp() - v_began) * 1000;
end
$$
"""
_BODIES = {
    BASE: """
    perform jsonb_array_length(jsonb_agg(e order by e.run_seq))
    from (
        select
            l.run_seq, l.event_type, l.step_id, l.logical_attempt_id, l.engine_attempt_id, l.emitted_at, l.payload,
            l.engine_run_ref
        from runstore.run_events as l
        where l.run_id = p_run_id
    ) as e;
    """,
    GROUP_BY: """
    perform count(*)
    from (
        with attempts as materialized (
            select
                e.step_id, e.logical_attempt_id, min(e.run_seq), max(e.run_seq), min(e.emitted_at), max(e.emitted_at),
                min(e.engine_attempt_id), max(e.engine_attempt_id)
            from runstore.run_events as e
            where e.run_id = p_run_id
            group by e.step_id, e.logical_attempt_id
        )
        select from attempts
    ) as a;
    """,
    FOLD: """
    v_spans := array(select s from runstore.fold_spans(array[p_run_id], true) as s);
    perform count(*)
    from (
        with folded as materialized (select f.* from runstore.fold(v_spans) as f)
        select from folded
    ) as f;
    """,
    REPLAY: "perform runstore.replay_snapshot(p_run_id);",
    RESYNC: "perform runstore.resync_run(p_run_id, 'FULL');",
}


def plan(scale: Scale) -> float:
    """Return about how many seconds this takes."""
    return runs.store_seconds(_runs(scale), scale.others) + scale.rounds * _round_seconds(scale)


def measure(lab: Lab, scale: Scale, progress: Progress) -> Part:
    """Call every function on every run in turns, call by call, in an order that turns round every time."""
    measured = _runs(scale)
    progress.step("fold: storing runs", runs.store_seconds(measured, scale.others))
    lab.create(_DATABASE)
    with lab.connect(_DATABASE) as connection:
        runs.store(connection, measured, scale.others)
        connection.execute("create schema bench")
        for name, body in _BODIES.items():
            connection.execute(_FUNCTION.format(name=_function(name), body=body).encode())
    times: dict[tuple[Run, str], list[float]] = {}
    with lab.connect(_DATABASE, jit="off", synchronous_commit="off") as connection:
        for run in measured:
            _round(connection, run, 1)
        for number in range(scale.rounds):
            progress.step(f"fold: round {number + 1} of {scale.rounds}", _round_seconds(scale))
            for run in measured:
                for name, value in _round(connection, run, scale.calls[run.events]).items():
                    times.setdefault((run, name), []).append(value)
                # What resync_run() has replaced would burden the next round.
                connection.execute("vacuum runstore.run_steps, runstore.run_states")
    with lab.connect(_DATABASE) as connection:
        runs.check_snapshots(connection, len(measured))
    lab.drop(_DATABASE)
    return Part(PART, [*_ratios(measured, times), *_growth(measured, times)])


def _runs(scale: Scale) -> list[Run]:
    kinds = [(shape, events) for shape in (WIDE, DEEP) for events in scale.calls]
    return [Run(number, shape, events) for number, (shape, events) in enumerate(kinds, start=1)]


def _round(connection: Connection, run: Run, calls: int) -> dict[str, float]:
    """Return the milliseconds that a call of each function takes, the median; each is a transaction of its own."""
    found: dict[str, list[float]] = {name: [] for name in _BODIES}
    for number in range(calls):
        for name in sorted(found, reverse=bool(number % 2)):
            row = connection.execute(f"select bench.{_function(name)}(%s)".encode(), (run.id,)).fetchone()
            assert row is not None
            found[name].append(float(row[0]))
    return {name: statistics.median(values) for name, values in found.items()}


def _function(name: str) -> str:
    return name.replace(" ", "_")


def _ratios(measured: list[Run], times: dict[tuple[Run, str], list[float]]) -> list[Comparison]:
    return [
        Comparison(
            name=f"{own}, a {run.shape} run of {run.events:,} events",
            base_name=base,
            own_name=own,
            unit=MS,
            base=times[run, base],
            own=times[run, own],
            at_most=_LIMIT if (own, base) == (FOLD, BASE) else None,
            series=f"{own}, {run.shape}" if base == BASE else "",
            events=run.events,
        )
        for own, base in ((FOLD, BASE), (REPLAY, BASE), (RESYNC, BASE), (FOLD, GROUP_BY))
        for run in measured
    ]


def _growth(measured: list[Run], times: dict[tuple[Run, str], list[float]]) -> list[Comparison]:
    """Compare the time per event in a run with the time per event in one that is a tenth as long."""
    found = []
    for name in (FOLD, BASE):
        for short, long in pairwise(measured):
            if short.shape == long.shape and short.events >= min(_LINEAR_FROM, measured[-2].events):
                found.append(
                    Comparison(
                        name=f"{name} per event, a {long.shape} run of {long.events:,} events",
                        base_name=f"a run of {short.events:,} events",
                        own_name=f"a run of {long.events:,} events",
                        unit=EVENT_US,
                        base=[1000 * value / short.events for value in times[short, name]],
                        own=[1000 * value / long.events for value in times[long, name]],
                        at_most=_LINEAR if name == FOLD else None,
                    )
                )
    return found


def _round_seconds(scale: Scale) -> float:
    return 1 + 2 * sum(calls * events * 0.00004 for events, calls in scale.calls.items())
