begin;
\ir ../_helpers/load.sql
select plan(2);

select pg_temp.append_types('run-1', 'RunStarted', 'StepStarted');
select runstore.project_snapshot('run-1');
select pg_temp.append_types('run-1', 'RunStarted', 'StepCompleted');
create temporary table before as select pg_temp.contents() as contents;

savepoint undone;
select runstore.project_snapshot('run-1');
rollback to savepoint undone;

select is(pg_temp.contents(), b.contents, 'everything is as it was') from before as b;
select is(runstore.project_snapshot('run-1') -> 'lastEventSeq', '4'::jsonb, 'and can be done again');

select * from finish();
rollback;
