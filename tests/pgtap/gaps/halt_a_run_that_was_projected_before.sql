begin;
\ir ../_helpers/load.sql
select plan(2);

select pg_temp.append_types('run-1', 'RunStarted', 'StepStarted');
select runstore.project_pending();
create temporary table before as select runstore.get_snapshot('run-1') as snapshot;
select pg_temp.append_types('run-1', 'StepCompleted', 'RunCompleted');
select pg_temp.lose('run-1', 3);
select runstore.project_pending();

select is(
    runstore.get_snapshot('run-1') - 'projectedAt',
    (b.snapshot || '{"stale": true}') - 'projectedAt',
    'it keeps its snapshot, which is stale now'
)
from before as b;
select is((select a.run_seq from runstore.alerts as a), 3::bigint, 'and the alert names the event');

select * from finish();
rollback;
