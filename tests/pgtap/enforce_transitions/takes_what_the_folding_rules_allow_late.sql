begin;
\ir ../_helpers/load.sql
select plan(8);

select runstore.set_config_value('projection_mode', 'inline');
select runstore.set_config_value('enforce_transitions', 'true');
select pg_temp.append('{"eventType": "StepFailed", "stepId": "load"}');
select pg_temp.append('{"eventType": "StepStarted", "stepId": "load", "logicalAttemptId": 2}');
select pg_temp.append('{"eventType": "RunCancelled"}');

select is(
    pg_temp.outcome(format('select runstore.append_event(%L::jsonb)', pg_temp.event(v.changes))), '{}', v.what
)
from (values
    ('an unknown type after the end', '{"eventType": "Custom"}'::jsonb),
    ('a signal after the end', '{"eventType": "SignalAccepted"}'),
    ('a late event of a lower attempt', '{"eventType": "StepCompleted", "stepId": "load"}'),
    ('another of them', '{"eventType": "StepSkipped", "stepId": "load"}'),
    ('a step of a run that was cancelled', '{"eventType": "StepCompleted", "stepId": "load", "logicalAttemptId": 2}'),
    ('a new attempt of it', '{"eventType": "StepCompleted", "stepId": "load", "logicalAttemptId": 3}'),
    ('the StepStarted of that one', '{"eventType": "StepStarted", "stepId": "load", "logicalAttemptId": 3}')
) as v (what, changes);
select is(runstore.get_snapshot('run-1') -> 'consistency', '"CONSISTENT"'::jsonb, 'all of it is consistent');

select * from finish();
rollback;
