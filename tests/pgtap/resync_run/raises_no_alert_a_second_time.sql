begin;
\ir ../_helpers/load.sql
select plan(2);

select pg_temp.append_types('run-1', 'RunStarted', 'RunResumed', 'StepSkipped', 'StepFailed', 'RunCompleted');
select runstore.project_pending();
select runstore.resync_run('run-1', 'FULL');
select runstore.resync_run('run-1', 'FROM_SNAPSHOT');
select runstore.resync_run('run-1', 'FULL');
select results_eq(
    'select a.run_seq, a.count from runstore.alerts as a order by a.run_seq',
    $$ values (2::bigint, 1::bigint), (4, 1) $$,
    'for events that were refused before'
);

select pg_temp.append_types('run-1', 'RunPaused');
select runstore.resync_run('run-1', 'FULL');
select results_eq(
    'select a.run_seq, a.count from runstore.alerts as a order by a.run_seq',
    $$ values (2::bigint, 1::bigint), (4, 1), (6, 1) $$,
    'but for one that is new'
);

select * from finish();
rollback;
