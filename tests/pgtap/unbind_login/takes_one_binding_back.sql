begin;
\ir ../_helpers/load.sql
select plan(4);

select pg_temp.make_login('tenant_login', 'runstore_writer');
select runstore.bind_login('tenant_login', t.tenant_id) from unnest(array['tenant-1', 'tenant-2']) as t (tenant_id);
select runstore.unbind_login('tenant_login', 'tenant-1');

select is(
    pg_temp.outcome(c.statement, 'tenant_login') ->> 'code', t.code, format('%s, %s form', t.tenant_id, c.form)
)
from (values ('tenant-1', 'RS013'), ('tenant-2', null)) as t (tenant_id, code)
cross join lateral pg_temp.calls(
    pg_temp.event(jsonb_build_object('runId', t.tenant_id, 'tenantId', t.tenant_id))
) as c
where c.form in ('named', 'batch');

select * from finish();
rollback;
