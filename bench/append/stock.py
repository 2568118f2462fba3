"""Events that are there before a measurement begins: written in bulk, exactly as appending would leave them."""

from collections.abc import Iterator
from string import Template

from event import COLUMNS, FIELDS, RUN_ID_SQL, STORED_KEY_SQL
from lab import Connection
from psycopg import sql

_CHUNK = 250_000

_COUNTERS = Template("""
insert into runstore.run_counters (run_id, tenant_id, project_id, environment_id, last_seq, last_persisted_at)
select $run_id, %(tenant)s, %(project)s, %(environment)s, %(events)s, now()
from generate_series(%(first)s::bigint, %(last)s::bigint) as i
""").substitute(run_id=RUN_ID_SQL)

_EVENTS = Template("""
insert into {table} ($columns)
select
    $run_id, j, gen_random_uuid(), %(event_type)s, %(step)s, 1, 1, %(plan)s, %(plan_version)s,
    decode($key, 'hex'), %(payload)s::jsonb, now(), now(), %(adapter)s
from generate_series(%(first)s::bigint, %(last)s::bigint) as i
cross join generate_series(1, %(events)s::bigint) as j
order by i, j
""").substitute(columns=", ".join(COLUMNS), run_id=RUN_ID_SQL, key=STORED_KEY_SQL)

_TABLES = (sql.Identifier("runstore", "run_events"), sql.Identifier("floor", "run_events"))


def store(connection: Connection, runs: int, events: int, *, floor: bool) -> Iterator[int]:
    """Write the runs 0, 1, 2, ... with their events, one run after the other; yield the rows written so far.

    The indexes are in place and the runs' ids are scattered, so the indexes end up as full as appending would
    leave them. The same rows go into the floor's table if that is asked for.
    """
    connection.execute("set synchronous_commit = off")
    step = max(1, _CHUNK // events)
    for first in range(0, runs, step):
        last = min(first + step, runs) - 1
        values = {**FIELDS, "events": events, "first": first, "last": last}
        connection.execute(_COUNTERS, values)
        for table in _TABLES[: 1 + floor]:
            connection.execute(sql.SQL(_EVENTS).format(table=table), values)
        yield (last + 1) * events
    connection.execute("vacuum (freeze, analyze)")


def store_all(connection: Connection, runs: int, events: int, *, floor: bool) -> None:
    """Write the runs in one go."""
    for _ in store(connection, runs, events, floor=floor):
        pass
