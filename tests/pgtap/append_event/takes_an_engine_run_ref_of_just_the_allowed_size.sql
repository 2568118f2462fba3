begin;
\ir ../_helpers/load.sql
select plan(4);

select is(
    pg_temp.outcome(replace(c.statement, 'run-1', c.form)),
    '{}',
    format('%s form', c.form)
)
from pg_temp.calls(
    pg_temp.event(jsonb_build_object('engineRunRef', jsonb_build_object('a', repeat('é', 131067) || 'x')))
) as c;

select * from finish();
rollback;
