begin;
\ir ../_helpers/load.sql
select plan(2);

select is(
    pg_temp.detail(format('select * from runstore.list_runs(%s => %L)', v.argument, repeat('é', 1000))) ->> 'value',
    repeat('é', 100),
    v.argument
)
from (values ('p_status'), ('p_cursor')) as v (argument);

select * from finish();
rollback;
