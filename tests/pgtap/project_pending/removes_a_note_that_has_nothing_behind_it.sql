begin;
\ir ../_helpers/load.sql
select plan(3);

select pg_temp.append_types('run-1', 'RunStarted');
select runstore.project_pending();
create temporary table before as select pg_temp.contents() as contents;
insert into runstore.due_runs (run_id, consumer, due_since) values ('run-1', 'projector', now());

select is(runstore.project_pending(), 1::bigint, 'the run is up to date');
select is(pg_temp.contents(), b.contents, 'its snapshot is not written again') from before as b;
select is(runstore.project_pending(), 0::bigint, 'and nothing waits');

select * from finish();
rollback;
