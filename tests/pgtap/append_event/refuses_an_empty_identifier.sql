begin;
\ir ../_helpers/load.sql
select plan(36);

select is(
    pg_temp.outcome(c.statement) - array['expected', 'index'],
    jsonb_build_object('code', 'RS001', 'field', f.field, 'value', ''),
    format('%s, %s form', f.field, c.form)
)
from unnest(array[
    'runId', 'eventType', 'tenantId', 'projectId', 'environmentId', 'planId', 'planVersion', 'stepId', 'adapterVersion'
]) as f (field)
cross join lateral pg_temp.calls(
    pg_temp.event('{"eventType": "Custom"}' || jsonb_build_object(f.field, ''))
) as c;

select * from finish();
rollback;
