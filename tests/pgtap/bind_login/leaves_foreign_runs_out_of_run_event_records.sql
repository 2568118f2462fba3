begin;
\ir ../_helpers/load.sql
select plan(1);

select pg_temp.make_login('tenant_login', 'runstore_reader');
select runstore.bind_login('tenant_login', 'tenant-1');
select pg_temp.append();
select pg_temp.append('{"runId": "run-2", "tenantId": "tenant-2"}');

select is(
    pg_temp.rows_for('tenant_login', 'select e.run_id, e.tenant_id from runstore.run_event_records as e'),
    '[{"run_id": "run-1", "tenant_id": "tenant-1"}]'::jsonb
);

select * from finish();
rollback;
