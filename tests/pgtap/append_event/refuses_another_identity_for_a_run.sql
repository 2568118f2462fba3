begin;
\ir ../_helpers/load.sql
select plan(16);

select pg_temp.append();

select is(
    pg_temp.outcome(c.statement) - array['expected', 'index'],
    '{"code": "RS002", "field": "runId", "value": "run-1"}'::jsonb,
    format('%s, %s form', v.changes, c.form)
)
from (values
    ('{"tenantId": "other"}'::jsonb),
    ('{"projectId": "other"}'),
    ('{"environmentId": "other"}'),
    ('{"tenantId": "Tenant-1", "projectId": "other", "environmentId": "env-1 "}')
) as v (changes)
cross join lateral pg_temp.calls(pg_temp.event('{"eventType": "RunCompleted"}' || v.changes)) as c;

select * from finish();
rollback;
