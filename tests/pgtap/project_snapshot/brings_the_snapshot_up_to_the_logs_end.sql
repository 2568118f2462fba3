begin;
\ir ../_helpers/load.sql
select plan(4);

select pg_temp.append_types('run-1', 'RunStarted', 'StepStarted');
select is(runstore.project_snapshot('run-1') -> 'lastEventSeq', '2'::jsonb, 'from nothing');

select pg_temp.append_types('run-1', 'StepCompleted', 'Custom', 'RunCompleted');
select is(
    jsonb_build_array(s.j -> 'lastEventSeq', s.j -> 'status', s.j #> '{steps,0,status}'),
    '[5, "COMPLETED", "SUCCESS"]'::jsonb,
    'from a snapshot'
)
from runstore.project_snapshot('run-1') as s (j);
select is(runstore.project_snapshot('run-1'), runstore.get_snapshot('run-1'), 'it answers with what is stored');
select is(
    runstore.get_snapshot('run-1') - array['stale', 'projectedAt'],
    runstore.replay_snapshot('run-1'),
    'which is the fold of the log'
);

select * from finish();
rollback;
