begin;
\ir ../_helpers/load.sql
select plan(3);

select pg_temp.append_types('noted', 'RunStarted');
select pg_temp.append_types('projected', 'RunStarted');
select runstore.project_snapshot('projected');

select runstore.append_events(jsonb_build_array(
    pg_temp.event('{"runId": "new"}'),
    pg_temp.event('{"runId": "noted", "eventType": "RunPaused"}'),
    pg_temp.event('{"runId": "projected", "eventType": "RunPaused"}'),
    pg_temp.event('{"runId": "new", "eventType": "RunPaused"}'),
    pg_temp.event('{"runId": "noted", "eventType": "RunResumed"}'),
    pg_temp.event('{"runId": "projected", "eventType": "RunResumed"}')
));

select results_eq(
    'select d.run_id::text collate "default" from runstore.due_runs as d order by 1',
    $$ values ('new'::text), ('noted'), ('projected') $$,
    'one each'
);
select is(runstore.project_pending(), 3::bigint, 'the projector finds all three');
select is(
    (select array_agg(s.last_event_seq order by s.run_id collate "C") from runstore.run_snapshots as s),
    '{2,3,3}'::bigint[],
    'and all of their events'
);

select * from finish();
rollback;
