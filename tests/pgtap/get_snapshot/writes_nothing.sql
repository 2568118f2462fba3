begin;
\ir ../_helpers/load.sql
select plan(1);

select pg_temp.append_types('run-1', 'RunStarted', 'StepStarted');
select runstore.project_pending();
select pg_temp.append_types('run-1', 'StepCompleted');
create temporary table before as select pg_temp.contents() as contents;

select runstore.get_snapshot('run-1');

select is(pg_temp.contents(), b.contents) from before as b;

select * from finish();
rollback;
