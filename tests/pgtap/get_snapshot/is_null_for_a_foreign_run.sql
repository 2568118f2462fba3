begin;
\ir ../_helpers/load.sql
select plan(2);

select pg_temp.make_login('tenant_login', 'runstore_reader');
select runstore.bind_login('tenant_login', 'tenant-1');
select pg_temp.append();
select pg_temp.append('{"runId": "run-2", "tenantId": "tenant-2"}');
select runstore.project_pending();

select is(
    pg_temp.rows_for('tenant_login', 'select runstore.get_snapshot(''run-1'') ->> ''runId'' as run_id'),
    '[{"run_id": "run-1"}]'::jsonb,
    'its own'
);
select is(
    pg_temp.rows_for('tenant_login', 'select runstore.get_snapshot(''run-2'') as snapshot'),
    '[{"snapshot": null}]'::jsonb,
    'a foreign one'
);

select * from finish();
rollback;
