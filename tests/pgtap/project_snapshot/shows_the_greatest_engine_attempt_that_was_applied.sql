begin;
\ir ../_helpers/load.sql
select plan(1);

select pg_temp.append(jsonb_build_object(
    'eventType', e.event_type, 'stepId', e.step_id, 'logicalAttemptId', e.attempt, 'engineAttemptId', e.engine_attempt,
    'idempotencyKey', pg_temp.key(e.nth)
))
from (values
    (1, 'StepStarted', 'out of order', 1, 5), (2, 'StepCompleted', 'out of order', 1, 3),
    (3, 'StepCompleted', 'late start', 1, 2), (4, 'StepStarted', 'late start', 1, 4),
    (5, 'StepSkipped', 'refused', 1, 2), (6, 'StepFailed', 'refused', 1, 9),
    (7, 'StepFailed', 'new attempt', 1, 9), (8, 'StepStarted', 'new attempt', 2, 1),
    (9, 'StepStarted', 'new attempt', 1, 10)
) as e (nth, event_type, step_id, attempt, engine_attempt);

select is(
    jsonb_path_query_array(runstore.project_snapshot('run-1'), '$.steps[*].engineAttemptId'), '[5, 4, 2, 1]'::jsonb
);

select * from finish();
rollback;
