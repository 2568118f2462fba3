begin;
\ir ../_helpers/load.sql
select plan(6);

insert into runstore.consumers (name, is_active, min_retry, max_retry) values
('outbox', true, '1 second', '30 seconds'), ('asleep', false, '1 second', '30 seconds');

create function pg_temp.notes() returns jsonb language sql stable as $$
    select coalesce(jsonb_agg(d.run_id || ' ' || d.consumer order by d.run_id, d.consumer), '[]')
    from runstore.due_runs as d
$$;

select pg_temp.append_types('run-1', 'RunStarted');
select runstore.append_events(jsonb_build_array(pg_temp.event('{"runId": "run-2"}')));
select is(
    pg_temp.notes(), '["run-1 outbox", "run-1 projector", "run-2 outbox", "run-2 projector"]'::jsonb, 'one each'
);

select runstore.project_pending();
select is(pg_temp.notes(), '["run-1 outbox", "run-2 outbox"]'::jsonb, 'the projector removes its own');

select pg_temp.append_types('run-1', 'RunPaused');
select is(pg_temp.notes(), '["run-1 outbox", "run-1 projector", "run-2 outbox"]'::jsonb, 'which comes again');
select runstore.project_snapshot('run-1');
select is(pg_temp.notes(), '["run-1 outbox", "run-2 outbox"]'::jsonb, 'and goes again');

-- What a consumer does when it has seen a run's last event.
delete from runstore.due_runs as d where d.run_id = 'run-1' and d.consumer = 'outbox';
update runstore.run_counters as r set due_from_seq = null where r.run_id = 'run-1';
select pg_temp.append_types('run-1', 'RunResumed');
select is(pg_temp.notes(), '["run-1 outbox", "run-1 projector", "run-2 outbox"]'::jsonb, 'both are noted anew');

select runstore.set_config_value('projection_mode', 'inline');
select pg_temp.append_types('run-3', 'RunStarted');
select is(
    (select jsonb_agg(d.consumer) from runstore.due_runs as d where d.run_id = 'run-3'),
    '["outbox"]'::jsonb,
    'with projection inline only the other one is'
);

select * from finish();
rollback;
