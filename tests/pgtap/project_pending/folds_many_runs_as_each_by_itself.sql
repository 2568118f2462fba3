begin;
\ir ../_helpers/load.sql
select plan(2);

-- Steps and attempts of the same names in every run, and runs at different places.
select runstore.append_events((
    select jsonb_agg(pg_temp.event(jsonb_build_object(
        'runId', 'run ' || r,
        'eventType',
        (array['StepStarted', 'StepCompleted', 'StepFailed', 'StepSkipped', 'Custom'])[1 + (r * 7 + n) % 5],
        'stepId', 'step ' || (n + r) % 3, 'logicalAttemptId', 1 + (r * n) % 3, 'engineAttemptId', n,
        'idempotencyKey', pg_temp.key(n), 'payload', jsonb_build_object('error', n, 'reason', r)
    )) order by n, r)
    from generate_series(1, 20) as r
    cross join generate_series(1, 20) as n
    where n <= r
));

select is(runstore.project_pending(), 20::bigint, 'twenty runs');
select is_empty(
    $$
    select r.run_id from runstore.run_counters as r
    where runstore.get_snapshot(r.run_id) - array['stale', 'projectedAt'] is distinct from
    runstore.replay_snapshot(r.run_id)
    $$,
    'each is as its own replay'
);

select * from finish();
rollback;
