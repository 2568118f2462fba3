begin;
\ir ../_helpers/load.sql
select plan(3);

select pg_temp.append_types('run-1', 'RunStarted', 'StepStarted');
select runstore.project_pending();
-- A mark that only a fold from the beginning would remove.
update runstore.run_states set engine_run_ref = '{"mark": 1}';
select pg_temp.append_types('run-1', 'StepCompleted', 'RunCompleted');

select is(
    jsonb_build_array(s.j -> 'lastEventSeq', s.j -> 'status', s.j -> 'engineRunRef'),
    '[4, "COMPLETED", {"mark": 1}]'::jsonb,
    'FROM_SNAPSHOT'
)
from runstore.resync_run('run-1', 'FROM_SNAPSHOT') as s (j);
select is(
    runstore.resync_run('run-1', 'FULL') - array['stale', 'projectedAt'], runstore.replay_snapshot('run-1'), 'FULL'
);
select is(runstore.get_snapshot('run-1') -> 'engineRunRef', null, 'and that is stored');

select * from finish();
rollback;
