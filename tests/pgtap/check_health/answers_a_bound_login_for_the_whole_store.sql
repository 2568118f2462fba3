begin;
\ir ../_helpers/load.sql
select plan(2);

select pg_temp.make_login('tenant_login', 'runstore_worker');
select runstore.bind_login('tenant_login', 'tenant-1');
select pg_temp.stop_clock('2026-03-01 12:00:00+00');
select pg_temp.append('{"runId": "run-2", "tenantId": "tenant-2"}');
select pg_temp.stop_clock('2026-03-01 12:00:06+00');

select is(
    pg_temp.rows_for('tenant_login', 'select runstore.check_health() -> ''lagMs'' as lag'),
    '[{"lag": 6000}]'::jsonb,
    'the lag of any run'
);
select is((select a.count from runstore.alerts as a), 1::bigint, 'with the alert');

select * from finish();
rollback;
