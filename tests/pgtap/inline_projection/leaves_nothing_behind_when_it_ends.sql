begin;
\ir ../_helpers/load.sql
select plan(3);

select runstore.set_config_value('projection_mode', 'inline');
select pg_temp.append_types('run-1', 'RunStarted', 'StepStarted');
select runstore.set_config_value('projection_mode', 'async');
select pg_temp.append_types('run-1', 'StepCompleted');

select is(runstore.get_snapshot('run-1') -> 'lastEventSeq', '2'::jsonb, 'the next event is not projected');
select is((select count(*) from runstore.due_runs), 1::bigint, 'but noted');
select is(runstore.project_pending(), 1::bigint, 'for the projector');

select * from finish();
rollback;
