begin;
\ir ../_helpers/load.sql
select plan(4);

select is(
    pg_temp.outcome(c.statement) - array['expected', 'index'],
    '{"code": "RS001", "field": "stepId", "value": "RUN"}'::jsonb,
    format('%s form', c.form)
)
from pg_temp.calls(pg_temp.event('{"eventType": "StepStarted", "stepId": "RUN"}')) as c;

select * from finish();
rollback;
