begin;
\ir ../_helpers/load.sql
select plan(14);

select is(
    pg_temp.outcome(format('select pg_temp.append(%L)', jsonb_build_object(
        'runId', t.event_type, 'eventType', t.event_type,
        'stepId', case when t.event_type like 'Step%' then 'load' end
    ))),
    '{}',
    t.event_type
)
from unnest(array[
    'RunQueued', 'RunApproved', 'RunStarted', 'RunPaused', 'RunResumed', 'RunCompleted', 'RunFailed', 'RunCancelled',
    'StepStarted', 'StepCompleted', 'StepFailed', 'StepSkipped', 'SignalAccepted', 'SignalRejected'
]) as t (event_type);

select * from finish();
rollback;
