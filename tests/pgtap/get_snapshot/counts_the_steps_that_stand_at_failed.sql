begin;
\ir ../_helpers/load.sql
select plan(3);

select pg_temp.append(jsonb_build_object('eventType', e.event_type, 'stepId', e.step_id))
from (values ('StepFailed', 'a'), ('StepFailed', 'b'), ('StepCompleted', 'c'), ('StepStarted', 'd')) as e (
    event_type, step_id
);
select is(runstore.project_snapshot('run-1') -> 'failedSteps', '2'::jsonb, 'two of four');

select pg_temp.append('{"eventType": "StepStarted", "stepId": "a", "logicalAttemptId": 2}');
select is(runstore.project_snapshot('run-1') -> 'failedSteps', '1'::jsonb, 'a new attempt takes one back');

select pg_temp.append('{"eventType": "StepFailed", "stepId": "a", "logicalAttemptId": 2}');
select is(runstore.project_snapshot('run-1') -> 'failedSteps', '2'::jsonb, 'its failure counts once');

select * from finish();
rollback;
