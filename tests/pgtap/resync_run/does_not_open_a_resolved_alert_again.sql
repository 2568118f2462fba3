begin;
\ir ../_helpers/load.sql
select plan(1);

select pg_temp.append_types('run-1', 'RunStarted', 'RunResumed', 'RunCompleted');
select runstore.project_pending();
select runstore.resolve_alert(a.alert_id) from runstore.alerts as a;
select runstore.resync_run('run-1', 'FULL');
select runstore.project_snapshot('run-1');

select results_eq(
    'select a.run_seq, a.count, a.resolved_at is null from runstore.alerts as a',
    $$ values (2::bigint, 1::bigint, false) $$
);

select * from finish();
rollback;
