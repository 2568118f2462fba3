begin;
\ir ../_helpers/load.sql
select plan(2);

select pg_temp.make_login('tenant_login', 'runstore_worker');
select runstore.bind_login('tenant_login', 'tenant-2');
select pg_temp.stop_clock('2026-03-01 12:00:00+00');
select pg_temp.append_types('run-1', 'RunStarted', 'RunPaused', 'RunResumed');
select pg_temp.lose('run-1', 2);
select runstore.project_pending();
select pg_temp.bring_back('run-1', 2);
select pg_temp.stop_clock('2026-03-01 13:00:00+00');

select is(
    pg_temp.rows_for('tenant_login', 'select runstore.project_pending() as done'), '[{"done": 0}]'::jsonb, 'not its own'
);
select is(runstore.project_pending(), 1::bigint, 'an unbound login takes it on');

select * from finish();
rollback;
