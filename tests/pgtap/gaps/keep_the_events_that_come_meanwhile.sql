begin;
\ir ../_helpers/load.sql
select plan(4);

select pg_temp.stop_clock('2026-03-01 12:00:00+00');
select pg_temp.append_types('run-1', 'RunStarted', 'RunPaused', 'RunResumed');
select pg_temp.lose('run-1', 2);
select runstore.project_pending();
select pg_temp.append_types('run-1', 'StepStarted', 'StepCompleted');
select runstore.append_events(jsonb_build_array(pg_temp.event('{"eventType": "RunCompleted"}')));

select is((select count(*) from runstore.due_runs), 1::bigint, 'there is still one note');
select pg_temp.bring_back('run-1', 2);
select is(runstore.project_pending(), 0::bigint, 'new events do not make the projector look earlier');
select pg_temp.stop_clock('2026-03-01 12:00:01+00');
select is(runstore.project_pending(), 1::bigint, 'but when the time has come');
select is(runstore.get_snapshot('run-1') -> 'lastEventSeq', '6'::jsonb, 'it goes to the end');

select * from finish();
rollback;
