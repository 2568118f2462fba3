begin;
\ir ../_helpers/load.sql
select plan(20);

select is(
    pg_temp.outcome(c.statement) ->> 'value',
    repeat('é', 100),
    format('%s, %s form', f.field, c.form)
)
from unnest(array['runId', 'planVersion', 'stepId', 'idempotencyKey', 'adapterVersion']) as f (field)
cross join lateral pg_temp.calls(
    pg_temp.event('{"eventType": "Custom"}' || jsonb_build_object(f.field, repeat('é', 1000)))
) as c;

select * from finish();
rollback;
