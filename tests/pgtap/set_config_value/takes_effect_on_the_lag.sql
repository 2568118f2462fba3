begin;
\ir ../_helpers/load.sql
select plan(4);

select pg_temp.stop_clock('2026-03-01 12:00:00+00');
select pg_temp.append();
select pg_temp.stop_clock('2026-03-01 12:00:00.101+00');

select runstore.set_config_value('lag_alert_ms', '101');
select is(runstore.check_health() -> 'lagIsHigh', 'false'::jsonb, 'a lag of 101 ms is not past 101');
select runstore.set_config_value('lag_alert_ms', '100');
select is(runstore.check_health() -> 'lagIsHigh', 'true'::jsonb, 'but past 100');

select runstore.set_config_value('lag_resync_ms', '101');
select is(runstore.check_health() -> 'runsMarkedForResync', '0'::jsonb, 'no resync at 101 ms');
select runstore.set_config_value('lag_resync_ms', '100');
select is(runstore.check_health() -> 'runsMarkedForResync', '1'::jsonb, 'but past 100');

select * from finish();
rollback;
