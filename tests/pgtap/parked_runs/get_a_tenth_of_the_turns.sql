begin;
\ir ../_helpers/load.sql
select plan(6);

select pg_temp.stop_clock('2026-03-01 12:00:00+00');
select pg_temp.append_types('damaged ' || n, 'StepCompleted') from generate_series(1, 6) as n;
select pg_temp.spoil('damaged ' || n, 1) from generate_series(1, 6) as n;
select runstore.project_pending();
select pg_temp.append_types('good ' || n, 'RunStarted') from generate_series(1, 30) as n;
select pg_temp.stop_clock('2026-03-01 12:01:00+00');

select is(runstore.project_pending(20), 18::bigint, 'most go to those that wait');
select is((select sum(a.count) from runstore.alerts as a), 8::numeric, 'two to those that failed');
select is(runstore.project_pending(2), 1::bigint, 'at least one goes to them');
select is((select sum(a.count) from runstore.alerts as a), 9::numeric, 'however few there are');
select is(runstore.project_pending(1), 1::bigint, 'and where all that was taken fails, more is taken');
select is((select sum(a.count) from runstore.alerts as a), 12::numeric, 'until one comes to its end');

select * from finish();
rollback;
