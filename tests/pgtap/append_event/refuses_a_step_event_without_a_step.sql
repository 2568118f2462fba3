begin;
\ir ../_helpers/load.sql
select plan(16);

select is(
    pg_temp.outcome(c.statement) - array['expected', 'index'],
    '{"code": "RS001", "field": "stepId"}'::jsonb,
    format('%s, %s form', t.event_type, c.form)
)
from unnest(array['StepStarted', 'StepCompleted', 'StepFailed', 'StepSkipped']) as t (event_type)
cross join lateral pg_temp.calls(pg_temp.event(jsonb_build_object('eventType', t.event_type))) as c;

select * from finish();
rollback;
