begin;
\ir ../_helpers/load.sql
select plan(3);

select pg_temp.append(jsonb_build_object(
    'runId', e.run_id, 'eventType', e.event_type, 'stepId', 'load', 'emittedAt', e.emitted_at,
    'idempotencyKey', pg_temp.key(e.nth)
))
from (values
    (1, 'started twice', 'StepStarted', '2026-01-01T00:00:01Z'),
    (2, 'started twice', 'StepCompleted', '2026-01-01T00:00:02Z'),
    (3, 'started twice', 'StepStarted', '2026-01-01T00:00:03Z'),
    (4, 'started late, twice', 'StepCompleted', '2026-01-01T00:00:02Z'),
    (5, 'started late, twice', 'StepStarted', '2026-01-01T00:00:01Z'),
    (6, 'started late, twice', 'StepStarted', '2026-01-01T00:00:03Z'),
    (7, 'refused', 'StepStarted', '2026-01-01T00:00:01Z'),
    (8, 'refused', 'StepStarted', '2026-01-01T00:00:03Z')
) as e (nth, run_id, event_type, emitted_at);

select is(
    jsonb_build_array(s.j #> '{steps,0,startedAt}', s.j -> 'consistency'),
    jsonb_build_array('2026-01-01T00:00:01.000000Z', v.consistency),
    v.run_id
)
from (values
    ('started twice', 'CONSISTENT'), ('started late, twice', 'CONSISTENT'), ('refused', 'INCONSISTENT')
) as v (run_id, consistency)
cross join lateral runstore.project_snapshot(v.run_id) as s (j);

select * from finish();
rollback;
