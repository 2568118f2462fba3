begin;
\ir ../_helpers/load.sql
select plan(3);

select pg_temp.stop_clock('2026-03-01 12:00:00+00');
select pg_temp.append_types('gap', 'RunStarted', 'RunPaused', 'RunResumed');
select pg_temp.append_types('parked', 'StepCompleted');
select pg_temp.lose('gap', 2);
select pg_temp.spoil('parked', 1);
select runstore.project_pending();
select pg_temp.stop_clock('2026-03-01 13:00:00+00');
select pg_temp.append_types('gap', 'RunCompleted');

select is(
    runstore.check_health(),
    '{"lagMs": 0, "dueRuns": 0, "haltedRuns": 2, "runsMarkedForResync": 0, "lagIsHigh": false}'::jsonb,
    'neither as lag nor for a resync'
);
select is(
    (select count(*) from runstore.alerts as a where a.code = 'PROJECTOR_LAG_HIGH'), 0::bigint, 'and raises nothing'
);
select is(
    (select count(*) from runstore.alerts as a where a.resolved_at is null), 2::bigint, 'they have alerts of their own'
);

select * from finish();
rollback;
