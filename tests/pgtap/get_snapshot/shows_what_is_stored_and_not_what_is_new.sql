begin;
\ir ../_helpers/load.sql
select plan(2);

select pg_temp.append();
select runstore.project_pending();
create temporary table before as select runstore.get_snapshot('run-1') as snapshot;
select pg_temp.append('{"eventType": "RunPaused"}');
select pg_temp.append('{"eventType": "StepStarted", "stepId": "load"}');

select is(runstore.get_snapshot('run-1'), b.snapshot, 'new events do not show') from before as b;
select is(runstore.get_snapshot('run-1') -> 'stale', 'false'::jsonb, 'and that is not called stale');

select * from finish();
rollback;
