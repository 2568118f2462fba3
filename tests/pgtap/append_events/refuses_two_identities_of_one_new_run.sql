begin;
\ir ../_helpers/load.sql
select plan(3);

select is(
    pg_temp.outcome(format('select runstore.append_events(%L)', jsonb_build_array(
        pg_temp.event('{"runId": "run-2"}'),
        pg_temp.event(),
        pg_temp.event('{"eventType": "RunFailed"}' || v.changes)
    ))) - 'expected',
    '{"code": "RS002", "field": "runId", "value": "run-1", "index": 2}'::jsonb,
    v.changes::text
)
from (values
    ('{"tenantId": "other"}'::jsonb), ('{"projectId": "other"}'), ('{"environmentId": "other"}')
) as v (changes);

select * from finish();
rollback;
