begin;
\ir ../_helpers/load.sql
select plan(3);

select pg_temp.make_login('tenant_login', 'runstore_reader');
select runstore.bind_login('tenant_login', 'tenant-1');
select pg_temp.append('{"runId": "run-2", "tenantId": "tenant-2"}');
select runstore.project_pending();

select is(
    pg_temp.outcome(format('select * from runstore.list_runs(%L)', v.tenant_id), 'tenant_login') - 'expected',
    jsonb_build_object('code', 'RS013', 'field', 'tenantId', 'value', v.tenant_id),
    v.tenant_id
)
from (values ('tenant-2'), ('no such tenant'), ('TENANT-1')) as v (tenant_id);

select * from finish();
rollback;
