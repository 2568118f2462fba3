begin;
\ir ../_helpers/load.sql
select plan(2);

select runstore.set_config_value('projection_mode', 'inline');
select runstore.set_config_value('enforce_transitions', 'true');
select pg_temp.append_types('run-1', 'RunStarted');
create temporary table before as select pg_temp.contents() as contents;

select is(
    pg_temp.outcome(format('select runstore.append_events(%L)', jsonb_build_array(
        pg_temp.event('{"runId": "run-2"}'),
        pg_temp.event('{"eventType": "RunPaused"}'),
        pg_temp.event('{"runId": "run-2", "eventType": "RunCompleted"}'),
        pg_temp.event('{"eventType": "StepStarted", "stepId": "load"}'),
        pg_temp.event('{"runId": "run-2", "eventType": "RunPaused"}'),
        pg_temp.event('{"eventType": "RunPaused", "logicalAttemptId": 2}')
    ))) - 'expected',
    '{"code": "RS004", "field": "eventType", "value": "RunPaused", "index": 4}'::jsonb,
    'the lowest element that offends, with those before it applied'
);
select is(pg_temp.contents(), b.contents, 'nothing is written') from before as b;

select * from finish();
rollback;
