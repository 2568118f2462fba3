begin;
\ir ../_helpers/load.sql
select plan(4);

select pg_temp.make_login('tenant_login', 'runstore_writer');
select runstore.bind_login('tenant_login', 'tenant-1');

select is(
    pg_temp.outcome(c.statement, 'tenant_login') ->> 'code', 'RS013', format('"%s", %s form', t.tenant_id, c.form)
)
from unnest(array['Tenant-1', 'tenant-1 ']) as t (tenant_id)
cross join lateral pg_temp.calls(pg_temp.event(jsonb_build_object('tenantId', t.tenant_id))) as c
where c.form in ('named', 'batch');

select * from finish();
rollback;
