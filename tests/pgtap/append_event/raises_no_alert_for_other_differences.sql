begin;
\ir ../_helpers/load.sql
select plan(2);

select pg_temp.append(jsonb_build_object('idempotencyKey', pg_temp.key(1), 'eventId', pg_temp.id(1)));

create temporary table again as
select pg_temp.outcome(c.statement) as outcome
from (values
    ('{"emittedAt": "2027-01-01T00:00:00Z"}'::jsonb),
    ('{"engineAttemptId": 7}'),
    ('{"logicalAttemptId": 7}'),
    ('{"planId": "other"}'),
    ('{"planVersion": "other"}'),
    ('{"eventId": "00000000-0000-4000-8000-000000000002"}'),
    ('{"adapterVersion": "2"}'),
    ('{"engineRunRef": {"id": 1}}'),
    ('{"parentEventId": "00000000-0000-4000-8000-000000000003"}')
) as v (changes)
cross join lateral pg_temp.calls(
    pg_temp.event(jsonb_build_object('idempotencyKey', pg_temp.key(1)) || v.changes)
) as c;

select is((select count(*) from again as a where a.outcome = '{}'), 36::bigint, 'all were answered');
select is((select count(*) from runstore.alerts), 0::bigint, 'and no alert was raised');

select * from finish();
rollback;
