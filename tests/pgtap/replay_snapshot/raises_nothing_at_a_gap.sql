begin;
\ir ../_helpers/load.sql
select plan(2);

select pg_temp.append_types('run-1', 'RunStarted', 'RunPaused', 'RunResumed', 'RunCompleted');
select pg_temp.lose('run-1', 3);
create temporary table before as select pg_temp.contents() as contents;

select is(pg_temp.outcome($$ select runstore.replay_snapshot('run-1') $$), '{}', 'no error');
select is(pg_temp.contents(), b.contents, 'no alert, no halt') from before as b;

select * from finish();
rollback;
