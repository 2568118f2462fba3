begin;
\ir ../_helpers/load.sql
select plan(28);

select is(
    pg_temp.outcome(c.statement) - array['expected', 'index'],
    '{"code": "RS001", "field": "engineRunRef"}'::jsonb,
    format('%s, %s form', v.ref, c.form)
)
from (values ('[]'::jsonb), ('[null]'), ('[{"a": 1}]'), ('"secret"'), ('1'), ('false'), ('""')) as v (ref)
cross join lateral pg_temp.calls(pg_temp.event(jsonb_build_object('engineRunRef', v.ref))) as c;

select * from finish();
rollback;
