begin;
\ir ../_helpers/load.sql
select plan(5);

select pg_temp.append_types('done', 'RunStarted', 'StepStarted', 'StepFailed', 'RunFailed');
select pg_temp.append_types('waiting', 'Custom');
select pg_temp.append_types('halted', 'RunStarted', 'RunPaused', 'RunResumed');
select pg_temp.lose('halted', 2);
select runstore.project_pending();
select pg_temp.append_types('not projected', 'RunStarted');

select set_eq(
    'select s.run_id::text collate "default" from runstore.run_snapshots as s',
    $$ values ('done'::text), ('waiting'), ('halted') $$,
    'runs that were projected'
);
select is(s.snapshot_data, runstore.get_snapshot(s.run_id), s.run_id) from runstore.run_snapshots as s;
select is_empty(
    $$
    select s.run_id
    from runstore.run_snapshots as s
    where
        (s.run_id, s.status, s.last_event_seq, s.started_at, s.completed_at, s.projected_at) is distinct from (
            s.snapshot_data ->> 'runId', s.snapshot_data ->> 'status', (s.snapshot_data ->> 'lastEventSeq')::bigint,
            (s.snapshot_data ->> 'startedAt')::timestamptz, (s.snapshot_data ->> 'completedAt')::timestamptz,
            (s.snapshot_data ->> 'projectedAt')::timestamptz
        )
    $$,
    'the other columns say the same'
);

select * from finish();
rollback;
