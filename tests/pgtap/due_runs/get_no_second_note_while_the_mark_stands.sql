-- The note is taken away, and only the mark on the run is left: nothing is written for the next events.
begin;
\ir ../_helpers/load.sql
select plan(5);

create temporary table appended as
select pg_temp.outcome(replace(c.statement, 'run-1', c.form)) from pg_temp.calls(pg_temp.event()) as c;
delete from runstore.due_runs;

select is(pg_temp.outcome(replace(c.statement, 'run-1', c.form)), '{}', format('%s form', c.form))
from pg_temp.calls(pg_temp.event('{"eventType": "RunPaused"}')) as c;
select is((select count(*) from runstore.due_runs), 0::bigint, 'no note');

select * from finish();
rollback;
