begin;
\ir ../_helpers/load.sql
select plan(4);

select pg_temp.stop_clock('2026-03-01 12:00:00+00');
select is(
    runstore.check_health(),
    '{"lagMs": 0, "dueRuns": 0, "haltedRuns": 0, "runsMarkedForResync": 0, "lagIsHigh": false}'::jsonb,
    'an empty store'
);

select pg_temp.append('{"runId": "late"}');
select pg_temp.stop_clock('2026-03-01 12:00:10+00');
select pg_temp.append('{"runId": "new"}');
select pg_temp.append('{"runId": "late", "eventType": "RunPaused"}');
select pg_temp.stop_clock('2026-03-01 12:00:10.001999+00');
select is(
    runstore.check_health(),
    '{"lagMs": 10001, "dueRuns": 2, "haltedRuns": 0, "runsMarkedForResync": 1, "lagIsHigh": true}'::jsonb,
    'the age of the event that waits longest'
);

select runstore.project_pending();
select is(
    runstore.check_health(),
    '{"lagMs": 0, "dueRuns": 0, "haltedRuns": 0, "runsMarkedForResync": 0, "lagIsHigh": false}'::jsonb,
    'nothing waits'
);

select pg_temp.append('{"runId": "new", "eventType": "RunPaused"}');
select pg_temp.stop_clock('2026-03-01 11:00:00+00');
select is(runstore.check_health() -> 'lagMs', '0'::jsonb, 'never below zero, though the clock was put back');

select * from finish();
rollback;
