begin;
\ir ../_helpers/load.sql
select plan(13);

select runstore.set_config_value('projection_mode', 'inline');
select runstore.set_config_value('enforce_transitions', 'true');
select pg_temp.append_types('run-1', 'RunStarted', 'StepStarted', 'StepCompleted');
create temporary table before as select pg_temp.contents() as contents;

select is(pg_temp.outcome(c.statement) ->> 'code', 'RS004', format('%s, %s form', v.changes, c.form))
from (values
    ('{"eventType": "RunResumed"}'::jsonb),
    ('{"eventType": "StepFailed", "stepId": "load"}'),
    ('{"runId": "new", "eventType": "RunPaused"}')
) as v (changes)
cross join lateral pg_temp.calls(pg_temp.event(v.changes)) as c;
select is(pg_temp.contents(), b.contents, 'log, counters, snapshots, alerts and notes are as they were')
from before as b;

select * from finish();
rollback;
