begin;
\ir ../_helpers/load.sql
select plan(6);

select pg_temp.append(jsonb_build_object('eventId', pg_temp.id(1)));
create temporary table before as select pg_temp.contents() as contents;

create temporary table refused as
select pg_temp.outcome(format('select runstore.append_events(%L)', jsonb_build_array(
    pg_temp.event('{"eventType": "RunPaused"}'),
    pg_temp.event('{"payload": {"differs": true}}'),
    pg_temp.event('{"runId": "run-2"}'),
    pg_temp.event('{"runId": "run-3"}' || v.changes)
))) ->> 'code' as code
from (values
    ('{"planId": ""}'::jsonb),
    ('{"runId": "run-1", "eventType": "RunFailed", "tenantId": "other"}'),
    ('{"runId": "run-2", "eventType": "RunFailed", "tenantId": "other"}'),
    (jsonb_build_object('runId', 'run-1', 'eventType', 'RunFailed', 'eventId', pg_temp.id(1))),
    (jsonb_build_object('payload', jsonb_build_object('a', repeat('x', 300000))))
) as v (changes);

select isnt(r.code, null, r.code) from refused as r;
select is(pg_temp.contents(), (select b.contents from before as b), 'log, counters and alerts are as they were');

select * from finish();
rollback;
