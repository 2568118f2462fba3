"""A probe for one event reads one index entry, however long its run is and however short most runs are."""

import pytest
from appends import append_batch, event
from support import Connect

PROBES = {
    "idempotency_key = sha256('a')": "run_events_idempotency_key_key",
    "event_id = '7c1b0c5e-6f1c-4a53-8b1e-3c9f1f4f5a10'": "run_events_event_id_key",
}


@pytest.mark.parametrize("probe", PROBES)
def test_a_probe_takes_its_own_index_where_most_runs_have_one_event(connect: Connect, probe: str) -> None:
    connection = connect()
    append_batch(connection, [event(f"run-{number}", "only") for number in range(5000)])
    connection.execute("vacuum analyze runstore.run_events")
    connection.execute("set plan_cache_mode = force_generic_plan")
    connection.execute(f"prepare probe (text) as select from runstore.run_events where run_id = $1 and {probe}")
    plan = "\n".join(line for (line,) in connection.execute("explain execute probe ('run-1')"))
    assert f"using {PROBES[probe]} " in plan, plan
    assert "Filter" not in plan, plan
