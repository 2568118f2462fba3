begin;
\ir ../_helpers/load.sql
select plan(2);

select runstore.set_config_value('projection_mode', 'inline');
select runstore.set_config_value('enforce_transitions', 'true');

select is(
    pg_temp.outcome(format('select runstore.append_events(%L)', jsonb_build_array(
        pg_temp.event('{"eventType": "RunApproved"}'),
        pg_temp.event(),
        pg_temp.event('{"eventType": "RunPaused"}'),
        pg_temp.event('{"eventType": "StepStarted", "stepId": "load"}'),
        pg_temp.event('{"eventType": "RunResumed"}'),
        pg_temp.event('{"eventType": "StepCompleted", "stepId": "load"}'),
        pg_temp.event('{"eventType": "RunCompleted"}')
    ))),
    '{}',
    'a whole run at once'
);
select is(runstore.get_snapshot('run-1') -> 'status', '"COMPLETED"'::jsonb, 'is projected');

select * from finish();
rollback;
