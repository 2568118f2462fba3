begin;
\ir ../_helpers/load.sql
select plan(1);

select pg_temp.append_types('run-1', 'RunStarted', 'RunPaused', 'RunResumed');
select pg_temp.lose('run-1', 2);
select runstore.project_snapshot('run-1');
select pg_temp.bring_back('run-1', 2);
select runstore.project_snapshot('run-1');
select pg_temp.append_types('run-1', 'RunPaused', 'RunResumed');
select pg_temp.lose('run-1', 4);
select runstore.project_snapshot('run-1');

select results_eq(
    'select a.run_seq, a.count, a.resolved_at is null from runstore.alerts as a order by a.run_seq',
    $$ values (2::bigint, 1::bigint, false), (4, 1, true) $$
);

select * from finish();
rollback;
