"""Reading: fetch_events() against the same SELECT sent directly, one client, runs of 1000 events.

Sent directly in two ways: from the view run_event_records, which fetch_events() reads, and as the plain join of the two
tables, which has the same columns and rows but not the view's filter by tenant. The target holds for both.
"""

import pgbench
from event import run_id
from lab import Connection, Lab
from pgbench import ANY_RUN, RUN_ID
from progress import Progress
from results import CALLS, Comparison, Part
from scale import Scale
from stock import store_all

PARTS = ("fetch",)

_DATABASE = "bench_fetch"
_LENGTH = 1000
_LIMITS = (50, 200, 1000)

_FETCH = "select * from runstore.fetch_events({run}, 0, {limit});"
_VIEW = (
    "select * from runstore.run_event_records as v where v.run_id = {run} and v.run_seq > 0 "
    "order by v.run_seq limit {limit};"
)
_TABLES = (
    "select e.run_id, e.run_seq, e.event_id, e.event_type, e.step_id, e.engine_attempt_id, e.logical_attempt_id, "
    "r.tenant_id, r.project_id, r.environment_id, e.plan_id, e.plan_version, encode(e.idempotency_key, 'hex'), "
    "e.payload, e.emitted_at, e.persisted_at, e.adapter_version, e.engine_run_ref, e.caused_by_signal_id, "
    "e.parent_event_id from runstore.run_events as e inner join runstore.run_counters as r on e.run_id = r.run_id "
    "where e.run_id = {run} and e.run_seq > 0 order by e.run_seq limit {limit};"
)
_STATEMENTS = {"fetch_events": _FETCH, "SELECT from the view": _VIEW, "SELECT from the tables": _TABLES}


def plan(scale: Scale, parts: list[str]) -> float:
    """Return about how many seconds this takes."""
    return 10 + scale.rounds * _round_seconds(scale) if "fetch" in parts else 0


def measure(lab: Lab, scale: Scale, progress: Progress, parts: list[str]) -> list[Part]:
    """Measure every statement with every limit in turns."""
    if "fetch" not in parts:
        return []
    progress.step("fetch: storing events", 10)
    lab.create(_DATABASE)
    with lab.connect(_DATABASE) as connection:
        store_all(connection, scale.read_runs, _LENGTH, floor=False)
        _check_same(connection)
    rates: dict[tuple[int, str], list[float]] = {}
    for number in range(scale.rounds):
        progress.step(f"fetch: round {number + 1} of {scale.rounds}", _round_seconds(scale))
        for limit in _LIMITS:
            for name in sorted(_STATEMENTS, reverse=bool(number % 2)):
                if number == 0:
                    _run(lab, scale, name, limit, transactions=scale.read_runs)
                rates.setdefault((limit, name), []).append(_run(lab, scale, name, limit, seconds=scale.seconds))
    lab.drop(_DATABASE)
    comparisons = [
        Comparison(
            name=f"{limit} rows",
            base_name=base,
            own_name="fetch_events",
            unit=CALLS,
            base=rates[limit, base],
            own=rates[limit, "fetch_events"],
            target=0.95,
        )
        for limit in _LIMITS
        for base in _STATEMENTS
        if base != "fetch_events"
    ]
    return [Part("fetch", comparisons)]


def _check_same(connection: Connection) -> None:
    """Raise unless all statements return the same rows."""
    for limit in _LIMITS:
        answers = [
            connection.execute(statement.format(run=f"'{run_id(1)}'", limit=limit).encode()).fetchall()
            for statement in _STATEMENTS.values()
        ]
        if len(answers[0]) != limit or any(answer != answers[0] for answer in answers):
            raise RuntimeError("fetch_events() and the SELECTs it is compared with return different rows")


def _run(
    lab: Lab, scale: Scale, name: str, limit: int, *, seconds: int | None = None, transactions: int | None = None
) -> float:
    script = ANY_RUN + _STATEMENTS[name].format(run=RUN_ID, limit=limit) + "\n"
    variables = {"runs": scale.read_runs}
    load = pgbench.run(lab, _DATABASE, [script], seconds=seconds, transactions=transactions, variables=variables)
    return load.per_second


def _round_seconds(scale: Scale) -> float:
    return len(_LIMITS) * len(_STATEMENTS) * (scale.seconds + 0.1)
