begin;
\ir ../_helpers/load.sql
select plan(1);

select pg_temp.append(jsonb_build_object('eventId', pg_temp.id(1)));
select runstore.project_pending();
create temporary table before as select pg_temp.contents() as contents;

create temporary table refused as
select pg_temp.outcome(c.statement) as outcome
from (values
    ('{"eventType": "RunFailed", "tenantId": "other"}'::jsonb),
    (jsonb_build_object('eventType', 'RunFailed', 'eventId', pg_temp.id(1))),
    ('{"runId": "new", "planId": ""}')
) as v (changes)
cross join lateral pg_temp.calls(pg_temp.event(v.changes)) as c;

select is(pg_temp.contents(), b.contents) from before as b;

select * from finish();
rollback;
