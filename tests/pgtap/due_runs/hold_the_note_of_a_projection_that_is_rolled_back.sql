begin;
\ir ../_helpers/load.sql
select plan(2);

select pg_temp.append_types('run-1', 'RunStarted');
create temporary table before as select pg_temp.contents() as contents;
savepoint undone;
select runstore.project_pending();
rollback to savepoint undone;

select is(pg_temp.contents(), b.contents, 'the run is due as before') from before as b;
select is(runstore.project_pending(), 1::bigint, 'and projected the next time');

select * from finish();
rollback;
