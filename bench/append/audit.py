"""A benchmark of a log that lost or doubled something would measure nothing: what was appended is counted."""

from lab import Connection

_FINDINGS = """
select
    (select count(*) from runstore.run_events),
    (select sum(last_seq) from runstore.run_counters),
    (select count(*) from (
        select 1 from runstore.run_events group by run_id having max(run_seq) <> count(*) or min(run_seq) <> 1
    ) as g),
    (select count(*) from runstore.alerts)
"""


def audit(connection: Connection, expected: int) -> None:
    """Raise unless the log has exactly this many events, every run is 1, 2, 3, ..., and nothing alarmed."""
    row = connection.execute(_FINDINGS).fetchone()
    assert row is not None
    events, counted, broken, alerts = row
    if (events, counted, broken, alerts) != (expected, expected, 0, 0):
        raise RuntimeError(
            f"the log is not what was appended: {events} events and counters at {counted} instead of {expected}, "
            f"{broken} runs with gaps, {alerts} alerts"
        )
