begin;
\ir ../_helpers/load.sql
select plan(1);

select pg_temp.append();
create temporary table before as select pg_temp.contents() as contents;

create temporary table refused as
select pg_temp.outcome(c.statement) as outcome
from (values
    ('{"runId": "new", "planId": ""}'::jsonb),
    ('{"runId": "new", "payload": []}'),
    ('{"logicalAttemptId": 0}'),
    ('{"logicalAttemptId": 2, "tenantId": "other"}'),
    ('{"logicalAttemptId": 2, "stepId": "load"}')
) as v (changes)
cross join lateral pg_temp.calls(pg_temp.event(v.changes)) as c;

select is(pg_temp.contents(), (select b.contents from before as b), 'log, counters and alerts are as they were');

select * from finish();
rollback;
