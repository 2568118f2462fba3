begin;
\ir ../_helpers/load.sql
select plan(2);

insert into runstore.consumers (name, is_active, min_retry, max_retry) values
('outbox', true, '1 second', '30 seconds');
select pg_temp.stop_clock('2026-03-01 12:00:00+00');
select pg_temp.append();
select runstore.project_pending();
select pg_temp.stop_clock('2026-03-01 13:00:00+00');

select is(
    runstore.check_health(),
    '{"lagMs": 0, "dueRuns": 0, "haltedRuns": 0, "runsMarkedForResync": 0, "lagIsHigh": false}'::jsonb,
    'only the projector is looked at'
);
select is((select d.wants_resync from runstore.due_runs as d), false, 'and nothing is marked');

select * from finish();
rollback;
