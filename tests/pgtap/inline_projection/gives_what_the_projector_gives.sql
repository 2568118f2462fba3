begin;
\ir ../_helpers/load.sql
select plan(2);

create temporary table event as
select n, pg_temp.event(jsonb_build_object(
    'eventType',
    (array['StepStarted', 'StepCompleted', 'StepFailed', 'RunStarted', 'RunPaused', 'StepSkipped'])[1 + n * 7 % 6],
    'stepId', case when n * 7 % 6 in (0, 1, 2, 5) then 'step ' || n % 3 end,
    'logicalAttemptId', 1 + n / 12, 'idempotencyKey', pg_temp.key(n)
)) as event
from generate_series(1, 36) as n;

select runstore.append_events((select jsonb_agg(e.event || '{"runId": "async"}' order by e.n) from event as e));
select runstore.project_pending();
select runstore.set_config_value('projection_mode', 'inline');
create temporary table answer as
select runstore.append_event(e.event || '{"runId": "inline"}')
from (select e.event from event as e order by e.n) as e;

select is(
    runstore.get_snapshot('inline') - array['runId', 'projectedAt'],
    runstore.get_snapshot('async') - array['runId', 'projectedAt'],
    'the snapshot'
);
select results_eq(
    $$ select a.run_seq, a.details from runstore.alerts as a where a.run_id = 'inline' order by a.run_seq $$,
    $$ select a.run_seq, a.details from runstore.alerts as a where a.run_id = 'async' order by a.run_seq $$,
    'the alerts'
);

select * from finish();
rollback;
