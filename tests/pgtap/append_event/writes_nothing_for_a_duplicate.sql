begin;
\ir ../_helpers/load.sql
select plan(5);

select pg_temp.stop_clock('2026-03-01 12:00:00+00');
select pg_temp.append();
select pg_temp.append('{"eventType": "RunCompleted"}');
select pg_temp.stop_clock('2026-03-01 12:05:00+00');
create temporary table before as select pg_temp.contents() as contents;

select is(pg_temp.outcome(c.statement), '{}', format('%s form', c.form)) from pg_temp.calls(pg_temp.event()) as c;
select is(pg_temp.contents(), (select b.contents from before as b), 'log, counters and alerts are as they were');

select * from finish();
rollback;
