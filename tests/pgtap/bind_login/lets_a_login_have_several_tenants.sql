begin;
\ir ../_helpers/load.sql
select plan(5);

select pg_temp.make_login('tenant_login', 'runstore_writer', 'runstore_reader');
select runstore.bind_login('tenant_login', t.tenant_id) from unnest(array['tenant-1', 'tenant-2']) as t (tenant_id);

select is(
    pg_temp.outcome(c.statement, 'tenant_login') ->> 'code', t.code, format('%s, %s form', t.tenant_id, c.form)
)
from (values ('tenant-1', null), ('tenant-2', null)) as t (tenant_id, code)
cross join lateral pg_temp.calls(
    pg_temp.event(jsonb_build_object('runId', t.tenant_id, 'tenantId', t.tenant_id))
) as c
where c.form in ('named', 'batch');

select pg_temp.append('{"runId": "tenant-3", "tenantId": "tenant-3"}');
select is(
    pg_temp.rows_for('tenant_login', 'select e.run_id from runstore.run_event_records as e order by e.run_id'),
    '[{"run_id": "tenant-1"}, {"run_id": "tenant-2"}]'::jsonb,
    'it reads both'
);

select * from finish();
rollback;
