begin;
\ir ../_helpers/load.sql
select plan(56);

select is(
    pg_temp.outcome(c.statement) - array['expected', 'index'],
    jsonb_build_object('code', 'RS001', 'field', f.field, 'value', left(v.attempt #>> '{}', 100)),
    format('%s %s, %s form', f.field, v.attempt, c.form)
)
from (values ('engineAttemptId'), ('logicalAttemptId')) as f (field)
cross join (values
    ('1.5'::jsonb), ('0.1'), ('2147483647.5'), ('2147483648'), ('4294967297'), ('9223372036854775808'), ('1e100'),
    ('-1.0'), ('0.0'), ('"1"'), ('""'), ('true'), ('[1]'), ('{"value": 1}')
) as v (attempt)
cross join lateral pg_temp.calls(pg_temp.event(jsonb_build_object(f.field, v.attempt))) as c
where c.form in ('json', 'batch');

select * from finish();
rollback;
