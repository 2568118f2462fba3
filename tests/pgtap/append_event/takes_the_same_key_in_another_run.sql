begin;
\ir ../_helpers/load.sql
select plan(3);

select is(
    to_jsonb(a) - array['event_id', 'persisted_at'],
    '{"run_seq": 1, "idempotent": false, "persisted": true}'::jsonb,
    r.run_id
)
from unnest(array['run-1', 'run-2', 'RUN-1']) as r (run_id)
cross join lateral pg_temp.append(
    jsonb_build_object('runId', r.run_id, 'idempotencyKey', pg_temp.key(1))
) as a;

select * from finish();
rollback;
