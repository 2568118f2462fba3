begin;
\ir ../_helpers/load.sql
select plan(1);

select pg_temp.append_types('run-1', 'RunStarted', 'RunPaused', 'RunStarted', 'RunResumed');
select runstore.project_pending();
select runstore.resolve_alert(a.alert_id) from runstore.alerts as a;
select pg_temp.lose('run-1', 2);
select runstore.resync_run('run-1');
select pg_temp.bring_back('run-1', 2);
select runstore.resync_run('run-1');

select results_eq(
    $$ select a.run_seq, a.count from runstore.alerts as a where a.code = 'INVALID_TRANSITION' $$,
    $$ values (3::bigint, 1::bigint) $$
);

select * from finish();
rollback;
