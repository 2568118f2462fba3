begin;
\ir ../_helpers/load.sql
select plan(2);

select pg_temp.append_types('run-1', 'StepStarted', 'StepCompleted', 'RunStarted', 'RunPaused');
select pg_temp.spoil('run-1', 2);
select runstore.project_snapshot('run-1');
select pg_temp.mend('run-1', 2, 'load');
select pg_temp.lose('run-1', 3);

select is(
    jsonb_build_array(s.j -> 'lastEventSeq', s.j -> 'stale'), '[2, true]'::jsonb, 'the fold succeeds up to the gap'
)
from runstore.project_snapshot('run-1') as s (j);
select results_eq(
    'select a.code::text collate "default" from runstore.alerts as a where a.resolved_at is null',
    $$ values ('PROJECTOR_GAP_DETECTED'::text) $$,
    'which is all that is wrong now'
);

select * from finish();
rollback;
