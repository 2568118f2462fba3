begin;
\ir ../_helpers/load.sql
select plan(3);

select pg_temp.append_types('run-1', 'RunStarted', 'StepStarted');
select runstore.project_pending();
create temporary table before as select runstore.get_snapshot('run-1') as snapshot;
select pg_temp.append_types('run-1', 'StepCompleted', 'RunPaused');
select pg_temp.spoil('run-1', 3);

select is(runstore.project_pending(), 0::bigint, 'the run is not up to date');
select is(
    runstore.get_snapshot('run-1'), b.snapshot || '{"stale": true}', 'its snapshot is as it was, and says so'
)
from before as b;
select is(
    runstore.project_snapshot('run-1'),
    b.snapshot || '{"stale": true}',
    'project_snapshot answers with it, without an error'
)
from before as b;

select * from finish();
rollback;
