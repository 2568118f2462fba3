begin;
\ir ../_helpers/load.sql
select plan(8);

select is(
    pg_temp.outcome(c.statement) - 'index',
    '{"code": "RS005", "field": "engineRunRef", "expected": "at most 262144 octets of JSON text"}'::jsonb,
    format('%s, %s form', left(v.content, 1), c.form)
)
from (values (repeat('x', 262136)), (repeat('é', 131068))) as v (content)
cross join lateral pg_temp.calls(
    pg_temp.event(jsonb_build_object('engineRunRef', jsonb_build_object('a', v.content)))
) as c;

select * from finish();
rollback;
