begin;
\ir ../_helpers/load.sql
select plan(2);

select runstore.set_config_value('projection_mode', 'inline');
select pg_temp.append_types('run-2', 'RunStarted');
select runstore.append_events(jsonb_build_array(
    pg_temp.event(),
    pg_temp.event('{"runId": "run-2", "eventType": "RunPaused"}'),
    pg_temp.event('{"runId": "run-3", "eventType": "StepCompleted", "stepId": "load"}'),
    pg_temp.event('{"eventType": "RunCompleted"}'),
    pg_temp.event('{"runId": "run-2", "eventType": "RunPaused"}')
));

select results_eq(
    'select s.run_id::text collate "default", s.last_event_seq from runstore.run_snapshots as s order by 1',
    $$ values ('run-1'::text, 2::bigint), ('run-2', 2), ('run-3', 1) $$,
    'each to its end'
);
select is_empty(
    $$
    select r.run_id from runstore.run_counters as r
    where runstore.get_snapshot(r.run_id) - array['stale', 'projectedAt'] is distinct from
    runstore.replay_snapshot(r.run_id)
    $$,
    'as its replay'
);

select * from finish();
rollback;
