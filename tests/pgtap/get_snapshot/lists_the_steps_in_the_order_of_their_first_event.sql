begin;
\ir ../_helpers/load.sql
select plan(2);

select pg_temp.append(jsonb_build_object(
    'eventType', e.event_type, 'stepId', e.step_id, 'logicalAttemptId', e.attempt
))
from (values
    ('StepStarted', 'z', 2), ('StepStarted', 'a', 1), ('StepStarted', 'm', 1), ('StepCompleted', 'a', 1),
    ('StepStarted', 'z', 1), ('StepFailed', 'm', 1), ('StepStarted', 'm', 2), ('StepCompleted', 'z', 2),
    ('StepStarted', 'b', 1)
) as e (event_type, step_id, attempt);
select runstore.project_pending();

select is(
    jsonb_path_query_array(runstore.get_snapshot('run-1'), '$.steps[*].stepId'), '["z", "a", "m", "b"]'::jsonb, 'steps'
);
select is(
    jsonb_path_query_array(runstore.get_snapshot('run-1'), '$.steps[*].logicalAttemptId'),
    '[2, 1, 2, 1]'::jsonb,
    'a later attempt keeps the place'
);

select * from finish();
rollback;
