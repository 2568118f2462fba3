begin;
\ir ../_helpers/load.sql
select plan(3);

select pg_temp.append_types('run-1', 'RunStarted', 'StepStarted');
select runstore.project_pending();
set transaction read only;

select is(runstore.replay_snapshot('run-1') -> 'lastEventSeq', '2'::jsonb, 'replay_snapshot');
select is(runstore.get_snapshot('run-1') -> 'lastEventSeq', '2'::jsonb, 'get_snapshot');
select is((select r.last_event_seq from runstore.list_runs() as r), 2::bigint, 'list_runs');

select * from finish();
rollback;
