-- Two faults at once, which must not cancel each other out where identifiers are looked at joined.
begin;
\ir ../_helpers/load.sql
select plan(224);

select is(
    pg_temp.outcome(c.statement) ->> 'code',
    'RS001',
    format('%s is null, %s has a bar, %s form', f.field, b.field, c.form)
)
from unnest(array[
    'runId', 'eventType', 'tenantId', 'projectId', 'environmentId', 'planId', 'planVersion'
]) as f (field)
cross join unnest(array[
    'runId', 'eventType', 'tenantId', 'projectId', 'environmentId', 'planId', 'planVersion', 'stepId', 'adapterVersion'
]) as b (field)
cross join lateral pg_temp.calls(pg_temp.event(
    jsonb_build_object(
        'eventType', case b.field when 'stepId' then 'StepStarted' else 'RunStarted' end,
        'idempotencyKey', pg_temp.key(1)
    )
    || jsonb_build_object(b.field, case b.field when 'eventType' then 'Run|Started' else 'a|b' end)
    || jsonb_build_object(f.field, null)
)) as c
where f.field <> b.field;

select * from finish();
rollback;
