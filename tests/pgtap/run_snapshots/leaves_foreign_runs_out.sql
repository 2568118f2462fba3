begin;
\ir ../_helpers/load.sql
select plan(2);

select pg_temp.make_login('tenant_login', 'runstore_reader');
select runstore.bind_login('tenant_login', 'tenant-1');
select pg_temp.append();
select pg_temp.append('{"runId": "run-2", "tenantId": "tenant-2"}');
select runstore.project_pending();

select is(
    pg_temp.rows_for(
        'tenant_login', 'select s.run_id, s.snapshot_data ->> ''tenantId'' as tenant from runstore.run_snapshots as s'
    ),
    '[{"run_id": "run-1", "tenant": "tenant-1"}]'::jsonb,
    'a bound login'
);
select is((select count(*) from runstore.run_snapshots), 2::bigint, 'an unbound one');

select * from finish();
rollback;
