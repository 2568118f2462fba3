begin;
\ir ../_helpers/load.sql
select plan(2);

select runstore.set_config_value('projection_mode', 'inline');
select runstore.set_config_value('enforce_transitions', 'true');

select is(
    pg_temp.outcome(format('select runstore.append_events(%L)', jsonb_build_array(
        pg_temp.event('{"eventType": "StepFailed", "stepId": "load"}'),
        pg_temp.event('{"eventType": "StepStarted", "stepId": "load", "logicalAttemptId": 2}'),
        pg_temp.event('{"eventType": "StepCompleted", "stepId": "load"}')
    ))),
    '{}',
    'after the higher one'
);
select is(
    pg_temp.outcome(format('select runstore.append_events(%L)', jsonb_build_array(
        pg_temp.event('{"runId": "run-2", "eventType": "StepFailed", "stepId": "load"}'),
        pg_temp.event('{"runId": "run-2", "eventType": "StepCompleted", "stepId": "load"}'),
        pg_temp.event('{"runId": "run-2", "eventType": "StepStarted", "stepId": "load", "logicalAttemptId": 2}')
    ))) -> 'index',
    '1'::jsonb,
    'but not before it'
);

select * from finish();
rollback;
