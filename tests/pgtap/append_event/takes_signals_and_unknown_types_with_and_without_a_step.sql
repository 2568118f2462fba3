begin;
\ir ../_helpers/load.sql
select plan(64);

select is(
    pg_temp.outcome(replace(c.statement, 'run-1', concat_ws(' ', t.event_type, s.step, c.form))),
    '{}',
    format('%s, %s, %s form', t.event_type, s.step, c.form)
)
from unnest(array[
    'SignalAccepted', 'SignalRejected', 'Heartbeat', 'RunHeartbeat', 'StepHeartbeat', 'runStarted', 'StepStarted2', '步骤'
]) as t (event_type)
cross join (values ('no step', '{}'::jsonb), ('a step', '{"stepId": "load"}')) as s (step, changes)
cross join lateral pg_temp.calls(pg_temp.event(s.changes || jsonb_build_object('eventType', t.event_type))) as c;

select * from finish();
rollback;
