begin;
\ir ../_helpers/load.sql
select plan(24);

select pg_temp.append('{"tenantId": "hidden-t", "projectId": "hidden-p", "environmentId": "hidden-e"}');

select unalike(
    pg_temp.error(c.statement)::text,
    '%hidden%',
    format('%s, %s, %s form', t.event_type, v.changes, c.form)
)
from (values
    ('{"projectId": "hidden-p", "environmentId": "hidden-e"}'::jsonb),
    ('{"tenantId": "hidden-t", "environmentId": "hidden-e"}'),
    ('{"tenantId": "hidden-t", "projectId": "hidden-p"}')
) as v (changes)
cross join unnest(array['RunStarted', 'RunFailed']) as t (event_type)
cross join lateral pg_temp.calls(
    pg_temp.event(v.changes || jsonb_build_object('eventType', t.event_type))
) as c;

select * from finish();
rollback;
