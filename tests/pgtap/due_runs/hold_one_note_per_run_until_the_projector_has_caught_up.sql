begin;
\ir ../_helpers/load.sql
select plan(8);

create function pg_temp.notes() returns jsonb language sql stable as $$
    select coalesce(jsonb_agg(jsonb_build_array(d.run_id, d.consumer, r.due_from_seq)), '[]')
    from runstore.due_runs as d
    left join runstore.run_counters as r on d.run_id = r.run_id
$$;

select pg_temp.append_types('run-1', 'RunStarted');
select is(pg_temp.notes(), '[["run-1", "projector", 1]]'::jsonb, 'the first event is noted');
select pg_temp.append_types('run-1', 'StepStarted', 'StepCompleted');
select is(pg_temp.notes(), '[["run-1", "projector", 1]]'::jsonb, 'the next ones are not');

select runstore.project_pending();
select is(pg_temp.notes(), '[]'::jsonb, 'the projector removes the note');
select is((select r.due_from_seq from runstore.run_counters as r), null, 'and its mark');

select pg_temp.append_types('run-1', 'RunPaused', 'RunResumed');
select is(pg_temp.notes(), '[["run-1", "projector", 4]]'::jsonb, 'then the next event is noted again');
select runstore.project_snapshot('run-1');
select is(pg_temp.notes(), '[]'::jsonb, 'project_snapshot removes it too');
select pg_temp.append_types('run-1', 'RunPaused');
select runstore.resync_run('run-1');
select is(pg_temp.notes(), '[]'::jsonb, 'and so does resync_run');
select pg_temp.append_types('run-1', 'RunResumed');
select runstore.resync_run('run-1', 'FROM_SNAPSHOT');
select is(pg_temp.notes(), '[]'::jsonb, 'in both modes');

select * from finish();
rollback;
