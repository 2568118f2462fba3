begin;
\ir ../_helpers/load.sql
select plan(1);

select runstore.set_config_value('projection_mode', 'inline');
select pg_temp.append_types('run-1', 'RunStarted', 'StepStarted');
create temporary table before as select pg_temp.contents() as contents;
savepoint undone;
select pg_temp.append_types('run-1', 'StepCompleted', 'RunStarted');
select pg_temp.append_types('run-2', 'RunStarted');
rollback to savepoint undone;

select is(pg_temp.contents(), b.contents) from before as b;

select * from finish();
rollback;
