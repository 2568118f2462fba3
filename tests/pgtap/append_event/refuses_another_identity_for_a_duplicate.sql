begin;
\ir ../_helpers/load.sql
select plan(12);

select pg_temp.append();

select is(
    pg_temp.outcome(c.statement) - array['expected', 'index'],
    '{"code": "RS002", "field": "runId", "value": "run-1"}'::jsonb,
    format('%s, %s form', v.changes, c.form)
)
from (values
    ('{"tenantId": "other"}'::jsonb),
    ('{"projectId": "other"}'),
    ('{"environmentId": "other"}')
) as v (changes)
cross join lateral pg_temp.calls(pg_temp.event(v.changes)) as c;

select * from finish();
rollback;
