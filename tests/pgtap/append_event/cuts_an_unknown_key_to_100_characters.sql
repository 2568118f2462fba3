begin;
\ir ../_helpers/load.sql
select plan(2);

select is(
    pg_temp.outcome(c.statement) ->> 'field',
    repeat('k', 100),
    format('%s form', c.form)
)
from pg_temp.calls(pg_temp.event(jsonb_build_object(repeat('k', 1000), 1))) as c
where c.form in ('json', 'batch');

select * from finish();
rollback;
