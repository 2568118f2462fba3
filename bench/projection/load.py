"""Appends from pgbench that make sense to a fold: runs that start, go through ten steps and complete.

Every client has 50 runs under way and appends to them in turns, so that 400 runs are open at a time, at different
points of their lives; where a run ends, the client begins another. An event of 158 characters of payload each, the key
computed by the store.
"""

from dataclasses import dataclass

import pgbench
from audit import audit
from lab import Connection, Lab
from projection.runs import OTHERS_EVENTS, check_snapshots, drain
from projection.scale import Scale

CLIENTS = 8
RATE = 1000
_OPEN_RUNS = 50
_LENGTH = 22

_SCRIPT = r"""
\set slot :n % :open
\set turn :n / :open + :slot
\set at :turn % :length
\set tail 200000000000 + :segment * 1000000000 + :client_id * 10000000 + :turn / :length * :open + :slot
\set run 10000000 + abs(hash(:tail)) % 90000000
\set kind case when :at = 0 then 1 when :at = :length - 1 then 4 when :at % 2 = 1 then 2 else 3 end
\set number (:at + 1) / 2
\set n :n + 1
select * from runstore.append_event(
    :run::text || '-4f0c-4a8e-9d5d-' || :tail::text,
    (array['RunStarted', 'StepStarted', 'StepCompleted', 'RunCompleted'])[:kind],
    clock_timestamp(), :tenant, :project, :environment, :plan, :plan_version,
    p_step_id => case when :kind in (2, 3) then 'model.step_' || :number::text end,
    p_payload => :payload, p_adapter_version => :adapter
);
"""


@dataclass(frozen=True)
class Latencies:
    """What a load at a fixed rate found."""

    transactions: int
    per_second: float
    ms: list[float]
    """Of every append after the first second, counted from the moment at which it was due to be sent."""


def saturate(lab: Lab, database: str, *, seconds: int, segment: int) -> pgbench.Load:
    """Append as fast as it goes; every call for a database needs a segment of its own."""
    return pgbench.run(lab, database, [_SCRIPT], clients=CLIENTS, seconds=seconds, variables=_variables(segment))


def at_fixed_rate(lab: Lab, database: str, *, seconds: int, segment: int) -> Latencies:
    """Append at a fixed rate, whether or not the server keeps up."""
    prefix = lab.scratch / "latency"
    load = pgbench.run(
        lab,
        database,
        [_SCRIPT],
        clients=CLIENTS,
        seconds=seconds,
        variables=_variables(segment),
        options=[f"--rate={RATE}", "--log", f"--log-prefix={prefix}"],
    )
    sent: list[tuple[float, float]] = []
    for path in lab.scratch.glob("latency.*"):
        for line in path.read_text().splitlines():
            # client, number, latency in microseconds from the scheduled time, script, then the moment of the end
            fields = line.split()
            latency = int(fields[2]) / 1000
            sent.append((int(fields[4]) + int(fields[5]) / 1_000_000 - latency / 1000, latency))
        path.unlink()
    began = min(due for due, _ in sent)
    return Latencies(load.transactions, load.per_second, [latency for due, latency in sent if due >= began + 1])


def check(lab: Lab, database: str, scale: Scale, appended: int, loads: int) -> None:
    """Raise unless the log holds what was appended, nothing alarmed, and snapshots are what their logs say."""
    with lab.connect(database) as connection:
        _forget_lag(connection)
        audit(connection, scale.others * OTHERS_EVENTS + appended, uncounted=loads * CLIENTS)
        drain(connection)
        check_snapshots(connection)


def _forget_lag(connection: Connection) -> None:
    """Remove the alert of a projector that fell behind, as it may when more is appended than it can fold."""
    connection.execute("delete from runstore.alert_log where code = 'PROJECTOR_LAG_HIGH'")


def _variables(segment: int) -> dict[str, int]:
    return {"segment": segment, "open": _OPEN_RUNS, "length": _LENGTH}
