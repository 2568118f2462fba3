begin;
\ir ../_helpers/load.sql
select plan(4);

select pg_temp.append_types('run-1', 'RunStarted');
select runstore.project_pending();

savepoint undone;
select pg_temp.append_types('run-1', 'RunPaused');
select pg_temp.append_types('run-2', 'RunStarted');
select is((select count(*) from runstore.due_runs), 2::bigint, 'before');
rollback to savepoint undone;
select is((select count(*) from runstore.due_runs), 0::bigint, 'after');

select pg_temp.append_types('run-1', 'RunPaused');
select is((select count(*) from runstore.due_runs), 1::bigint, 'the next append is noted');
select is(runstore.project_pending(), 1::bigint, 'and projected');

select * from finish();
rollback;
