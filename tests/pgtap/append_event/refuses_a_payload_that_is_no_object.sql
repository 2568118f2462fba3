begin;
\ir ../_helpers/load.sql
select plan(28);

select is(
    pg_temp.outcome(c.statement) - array['expected', 'index'],
    '{"code": "RS001", "field": "payload"}'::jsonb,
    format('%s, %s form', v.payload, c.form)
)
from (values ('[]'::jsonb), ('[null]'), ('[{"a": 1}]'), ('"secret"'), ('1'), ('true'), ('""')) as v (payload)
cross join lateral pg_temp.calls(pg_temp.event(jsonb_build_object('payload', v.payload))) as c;

select * from finish();
rollback;
