begin;
\ir ../_helpers/load.sql
select plan(3);

select is(
    pg_temp.outcome(format('select runstore.bind_login(%L, %L)', v.login, 'tenant-1')) - 'expected',
    jsonb_strip_nulls(jsonb_build_object('code', 'RS010', 'field', 'login', 'value', v.login)),
    coalesce(v.login, 'null')
)
from (values ('no_such_login'), (''), (null)) as v (login);

select * from finish();
rollback;
