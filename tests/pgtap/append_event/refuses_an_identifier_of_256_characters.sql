begin;
\ir ../_helpers/load.sql
select plan(72);

select is(
    pg_temp.outcome(c.statement) - array['expected', 'index'],
    jsonb_build_object('code', 'RS001', 'field', f.field, 'value', repeat(l.letter, 100)),
    format('%s, %s form', f.field, c.form)
)
from unnest(array[
    'runId', 'eventType', 'tenantId', 'projectId', 'environmentId', 'planId', 'planVersion', 'stepId', 'adapterVersion'
]) as f (field)
cross join (values ('a'), ('ä')) as l (letter)
cross join lateral pg_temp.calls(
    pg_temp.event('{"eventType": "Custom"}' || jsonb_build_object(f.field, repeat(l.letter, 256)))
) as c;

select * from finish();
rollback;
