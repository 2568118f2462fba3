begin;
\ir ../_helpers/load.sql
select plan(2);

select pg_temp.append_types('run-1', 'RunStarted', 'RunStarted', 'StepStarted', 'StepCompleted');
create temporary table first as select runstore.project_snapshot('run-1') as snapshot;
create temporary table before as select pg_temp.contents() as contents;

select is(runstore.project_snapshot('run-1'), f.snapshot, 'the answer is the same') from first as f;
select is(pg_temp.contents(), b.contents, 'and so is the store') from before as b;

select * from finish();
rollback;
