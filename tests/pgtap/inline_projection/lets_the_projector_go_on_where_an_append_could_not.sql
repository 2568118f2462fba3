begin;
\ir ../_helpers/load.sql
select plan(2);

select runstore.set_config_value('projection_mode', 'inline');
select pg_temp.stop_clock('2026-03-01 12:00:00+00');
select pg_temp.append_types('run-1', 'StepStarted');
select runstore.set_config_value('projection_mode', 'async');
select pg_temp.append_types('run-1', 'StepCompleted');
select pg_temp.spoil('run-1', 2);
select runstore.set_config_value('projection_mode', 'inline');
select pg_temp.append_types('run-1', 'RunStarted');
select pg_temp.mend('run-1', 2, 'load');
select pg_temp.stop_clock('2026-03-01 12:00:01+00');

select is(runstore.project_pending(), 1::bigint, 'when the time has come');
select is(
    jsonb_build_array(s.j -> 'lastEventSeq', s.j -> 'stale'), '[3, false]'::jsonb, 'the run is up to date'
)
from runstore.get_snapshot('run-1') as s (j);

select * from finish();
rollback;
