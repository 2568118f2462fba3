begin;
\ir ../_helpers/load.sql
select plan(10);

create temporary table payload as
select v.letters, jsonb_build_object('a', v.content) as payload
from (values ('one octet each', repeat('x', 262135)), ('two octets each', repeat('é', 131067) || 'x'))
    as v (letters, content);

select is(octet_length(p.payload::text), 262144, p.letters) from payload as p;

select is(
    pg_temp.outcome(replace(c.statement, 'run-1', p.letters || c.form)),
    '{}',
    format('%s, %s form', p.letters, c.form)
)
from payload as p
cross join lateral pg_temp.calls(pg_temp.event(jsonb_build_object('payload', p.payload))) as c;

select * from finish();
rollback;
