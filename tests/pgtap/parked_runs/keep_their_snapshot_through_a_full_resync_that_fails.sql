begin;
\ir ../_helpers/load.sql
select plan(2);

select pg_temp.append_types('run-1', 'RunStarted', 'StepCompleted', 'RunCompleted');
select runstore.project_pending();
create temporary table before as select runstore.get_snapshot('run-1') as snapshot;
select pg_temp.spoil('run-1', 2);

select is(runstore.resync_run('run-1'), b.snapshot || '{"stale": true}', 'with all its steps') from before as b;
select results_eq(
    'select a.code::text collate "default", a.run_seq from runstore.alerts as a',
    $$ values ('PROJECTION_FAILED'::text, 4::bigint) $$,
    'and an alert'
);

select * from finish();
rollback;
