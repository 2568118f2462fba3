begin;
\ir ../_helpers/load.sql
select plan(2);

select pg_temp.stop_clock('2026-03-01 12:00:00+00');
select pg_temp.append('{"runId": "b"}');
select pg_temp.append('{"runId": "a"}');
select pg_temp.append('{"runId": "B"}');
select pg_temp.stop_clock('2026-03-01 12:00:02+00');
select pg_temp.append('{"runId": "newest"}');
select pg_temp.stop_clock('2026-03-01 12:00:00.000001+00');
select pg_temp.append('{"runId": "between"}');
select pg_temp.stop_clock('2026-03-01 12:00:03+00');
select pg_temp.append('{"runId": "a", "eventType": "RunPaused"}');
select runstore.project_pending();

select is(
    array(select r.run_id from runstore.list_runs() as r), '{newest,between,b,a,B}', 'by their first event, then by id'
);

select pg_temp.append('{"runId": "B", "eventType": "RunCompleted"}');
select runstore.resync_run('B');
select is(
    array(select r.run_id from runstore.list_runs() as r), '{newest,between,b,a,B}', 'a new event does not move a run'
);

select * from finish();
rollback;
