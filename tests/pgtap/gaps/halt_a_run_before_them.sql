begin;
\ir ../_helpers/load.sql
select plan(6);

select pg_temp.append_types('run-1', 'RunStarted', 'StepStarted', 'RunPaused', 'StepCompleted', 'RunResumed');
select pg_temp.lose('run-1', 3);
create temporary table done as select runstore.project_pending() as done;

select is(d.done, 0::bigint, 'the run is not up to date') from done as d;
select is(
    jsonb_build_array(s.j -> 'lastEventSeq', s.j -> 'status', s.j #> '{steps,0,status}', s.j -> 'stale'),
    '[2, "RUNNING", "RUNNING", true]'::jsonb,
    'its snapshot stands before the gap, and says so'
)
from runstore.get_snapshot('run-1') as s (j);
select is(
    runstore.get_snapshot('run-1') - array['stale', 'projectedAt'],
    runstore.replay_snapshot('run-1', 2),
    'it is the last good state'
);
select is(runstore.get_snapshot('run-1') -> 'consistency', '"CONSISTENT"'::jsonb, 'and not inconsistent');

select pg_temp.append_types('run-1', 'RunCompleted');
create temporary table again as select runstore.project_snapshot('run-1') as snapshot;
select is(
    jsonb_build_array(a.snapshot -> 'lastEventSeq', a.snapshot -> 'stale'),
    '[2, true]'::jsonb,
    'events that come later do not move it'
)
from again as a;
select is((select count(*) from runstore.fetch_events('run-1')), 5::bigint, 'but they are stored');

select * from finish();
rollback;
