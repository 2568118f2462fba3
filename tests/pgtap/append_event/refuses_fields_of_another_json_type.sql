-- Every field in every JSON type that it must not have; an empty array and an array of null included.
begin;
\ir ../_helpers/load.sql
select plan(216);

select is(
    pg_temp.outcome(c.statement) - array['value', 'expected', 'index'],
    jsonb_build_object('code', 'RS001', 'field', f.field),
    format('%s %s, %s form', f.field, v.value, c.form)
)
from (values
    ('runId', 'string'), ('eventType', 'string'), ('emittedAt', 'string'), ('tenantId', 'string'),
    ('projectId', 'string'), ('environmentId', 'string'), ('planId', 'string'), ('planVersion', 'string'),
    ('idempotencyKey', 'string'), ('eventId', 'string'), ('stepId', 'string'), ('adapterVersion', 'string'),
    ('causedBySignalId', 'string'), ('parentEventId', 'string'), ('engineAttemptId', 'number'),
    ('logicalAttemptId', 'number'), ('payload', 'object'), ('engineRunRef', 'object')
) as f (field, type)
cross join (values ('"text"'::jsonb), ('12'), ('true'), ('[]'), ('[null]'), ('["text"]'), ('{"a": 1}')) as v (value)
cross join lateral pg_temp.calls(
    pg_temp.event('{"eventType": "Custom"}' || jsonb_build_object(f.field, v.value))
) as c
where c.form in ('json', 'batch') and jsonb_typeof(v.value) <> f.type;

select * from finish();
rollback;
