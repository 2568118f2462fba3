begin;
\ir ../_helpers/load.sql
select plan(2);

select pg_temp.append();
savepoint undone;
select pg_temp.append('{"eventType": "RunPaused"}');
select pg_temp.append('{"eventType": "RunResumed"}');
select pg_temp.append('{"runId": "run-2"}');
rollback to savepoint undone;

select is((pg_temp.append('{"eventType": "RunCompleted"}')).run_seq, 2::bigint, 'a run that was there before');
select is((pg_temp.append('{"runId": "run-2"}')).run_seq, 1::bigint, 'a run that was new');

select * from finish();
rollback;
