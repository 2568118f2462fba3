begin;
\ir ../_helpers/load.sql
select plan(2);

select pg_temp.append_types('run-1', 'RunStarted', 'StepStarted', 'StepFailed', 'RunFailed');
create temporary table replay as select runstore.replay_snapshot('run-1') as snapshot;
select runstore.project_snapshot('run-1');

select ok(not r.snapshot ?| array['stale', 'projectedAt'], 'neither stale nor projectedAt') from replay as r;
select is(
    r.snapshot, runstore.get_snapshot('run-1') - array['stale', 'projectedAt'], 'and is what is stored in all else'
)
from replay as r;

select * from finish();
rollback;
