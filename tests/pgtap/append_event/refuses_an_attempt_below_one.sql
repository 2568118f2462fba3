begin;
\ir ../_helpers/load.sql
select plan(24);

select is(
    pg_temp.outcome(c.statement) - array['expected', 'index'],
    jsonb_build_object('code', 'RS001', 'field', f.field, 'value', v.attempt::text),
    format('%s %s, %s form', f.field, v.attempt, c.form)
)
from (values ('engineAttemptId'), ('logicalAttemptId')) as f (field)
cross join (values (0), (-1), (-2147483648)) as v (attempt)
cross join lateral pg_temp.calls(pg_temp.event(jsonb_build_object(f.field, v.attempt))) as c;

select * from finish();
rollback;
