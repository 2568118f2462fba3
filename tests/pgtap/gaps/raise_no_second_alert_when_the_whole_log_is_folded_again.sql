begin;
\ir ../_helpers/load.sql
select plan(1);

select pg_temp.append_types('run-1', 'RunStarted', 'RunPaused', 'RunResumed');
select pg_temp.lose('run-1', 2);
select runstore.project_pending();
select runstore.resync_run('run-1');
select runstore.resync_run('run-1');

select results_eq('select a.count from runstore.alerts as a', 'values (1::bigint)');

select * from finish();
rollback;
