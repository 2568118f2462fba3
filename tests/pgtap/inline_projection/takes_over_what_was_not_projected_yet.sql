begin;
\ir ../_helpers/load.sql
select plan(4);

select pg_temp.append_types('run-1', 'RunStarted', 'StepStarted');
select pg_temp.append_types('run-2', 'RunStarted');
select runstore.set_config_value('projection_mode', 'inline');
select pg_temp.append_types('run-1', 'StepCompleted');

select is(runstore.get_snapshot('run-1') -> 'lastEventSeq', '3'::jsonb, 'a run that is appended to');
select results_eq(
    'select d.run_id::text collate "default" from runstore.due_runs as d', $$ values ('run-2'::text) $$,
    'has no note any more'
);
select is(runstore.project_pending(), 1::bigint, 'the projector does the others');
select is(runstore.get_snapshot('run-2') -> 'lastEventSeq', '1'::jsonb, 'to their end');

select * from finish();
rollback;
