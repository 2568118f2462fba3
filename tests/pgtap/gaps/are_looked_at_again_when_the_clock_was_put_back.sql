begin;
\ir ../_helpers/load.sql
select plan(2);

select pg_temp.stop_clock('2026-03-01 12:00:00+00');
select pg_temp.append_types('run-1', 'RunStarted', 'RunPaused', 'RunResumed');
select pg_temp.lose('run-1', 2);
select runstore.project_pending();
select pg_temp.bring_back('run-1', 2);

select pg_temp.stop_clock('2026-02-28 12:00:00+00');
select is(runstore.project_pending(), 1::bigint, 'the run does not wait for the day that was');
select is(runstore.get_snapshot('run-1') -> 'lastEventSeq', '3'::jsonb, 'it is at its end');

select * from finish();
rollback;
