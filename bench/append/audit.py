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


def audit(connection: Connection, expected: int, uncounted: int = 0) -> None:
    """Raise unless the log has exactly this many events, every run is 1, 2, 3, ..., and nothing alarmed.

    A load that ends by the clock leaves calls under way that the server finishes and the client no longer counts:
    that many events more are right, too.
    """
    row = connection.execute(_FINDINGS).fetchone()
    assert row is not None
    events, counted, broken, alerts = row
    if not expected <= events <= expected + uncounted or (counted, broken, alerts) != (events, 0, 0):
        raise RuntimeError(
            f"the log is not what was appended: {events} events and counters at {counted} instead of {expected}, "
            f"{broken} runs with gaps, {alerts} alerts"
        )
