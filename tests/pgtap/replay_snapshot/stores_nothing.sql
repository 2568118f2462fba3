begin;
\ir ../_helpers/load.sql
select plan(2);

select pg_temp.append_types('run-1', 'RunStarted', 'StepStarted');
select runstore.project_pending();
select pg_temp.append_types('run-1', 'RunStarted', 'StepFailed');
select pg_temp.append_types('run-2', 'RunPaused', 'RunStarted');
create temporary table before as select pg_temp.contents() as contents;

select is(
    (select runstore.replay_snapshot('run-1') -> 'consistency'), '"INCONSISTENT"'::jsonb, 'an event is refused'
);
create temporary table replays as
select runstore.replay_snapshot(r.run_id, n)
from unnest(array['run-1', 'run-2']) as r (run_id)
cross join generate_series(1, 3) as n;
select is(pg_temp.contents(), b.contents, 'but not even an alert is written') from before as b;

select * from finish();
rollback;
