begin;
\ir ../_helpers/load.sql
select plan(4);

select pg_temp.make_login('tenant_login');
select runstore.bind_login('tenant_login', 'tenant-1');

select is(
    pg_temp.outcome(format('select runstore.unbind_login(%L, %L)', v.login, v.tenant_id)) - 'expected',
    jsonb_strip_nulls(jsonb_build_object('code', 'RS010', 'field', 'login', 'value', v.login)),
    format('%s, %s', v.login, v.tenant_id)
)
from (values
    ('tenant_login', 'tenant-2'), ('no_such_login', 'tenant-1'), (null, 'tenant-1'), ('tenant_login', null)
) as v (login, tenant_id);

select * from finish();
rollback;
