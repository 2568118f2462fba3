begin;
\ir ../_helpers/load.sql
select plan(5);

create temporary table appended as
select pg_temp.outcome(replace(c.statement, 'run-1', c.form)) from pg_temp.calls(pg_temp.event()) as c;
select runstore.project_pending();
create temporary table before as select pg_temp.contents() as contents;

select is(
    pg_temp.outcome(replace(c.statement, 'run-1', c.form)), '{}', format('%s form', c.form)
)
from pg_temp.calls(pg_temp.event()) as c;
select is(pg_temp.contents(), b.contents, 'no note, no mark') from before as b;

select * from finish();
rollback;
