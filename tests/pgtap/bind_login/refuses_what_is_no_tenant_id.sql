begin;
\ir ../_helpers/load.sql
select plan(4);

select pg_temp.make_login('tenant_login');

select is(
    pg_temp.outcome(format('select runstore.bind_login(%L, %L)', 'tenant_login', v.tenant_id)) - 'expected',
    jsonb_strip_nulls(jsonb_build_object('code', 'RS010', 'field', 'tenantId', 'value', left(v.tenant_id, 100))),
    left(coalesce(v.tenant_id, 'null'), 20)
)
from (values (null), (''), ('a|b'), (repeat('x', 256))) as v (tenant_id);

select * from finish();
rollback;
