begin;
\ir ../_helpers/load.sql
select plan(3);

select pg_temp.stop_clock('2026-03-01 12:00:00+00');
select pg_temp.append_types('run-1', 'StepCompleted');
select pg_temp.spoil('run-1', 1);
select runstore.project_pending();
select pg_temp.append_types('run-1', 'RunStarted');
select runstore.append_events(jsonb_build_array(pg_temp.event('{"eventType": "RunCompleted"}')));

select is(runstore.project_pending(), 0::bigint, 'they do not make the projector try earlier');
select results_eq('select a.count from runstore.alerts as a', 'values (1::bigint)', 'it did not try');
select pg_temp.mend('run-1', 1, 'load');
select is(runstore.project_snapshot('run-1') -> 'lastEventSeq', '3'::jsonb, 'but they are there when it goes on');

select * from finish();
rollback;
