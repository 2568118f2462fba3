begin;
\ir ../_helpers/load.sql
select plan(2);

select pg_temp.stop_clock('2026-03-01 12:00:00+00');
select pg_temp.append_types('gap', 'StepStarted');
select pg_temp.append_types('parked', 'StepStarted');
select pg_temp.stop_clock('2026-03-01 13:00:00+00');
select pg_temp.append_types('gap', 'StepCompleted');
select pg_temp.append_types('parked', 'StepCompleted');
select pg_temp.lose('gap', 1);
select pg_temp.spoil('parked', 1);
select runstore.project_pending();
select pg_temp.bring_back('gap', 1);
select pg_temp.mend('parked', 1, 'load');
select runstore.resync_run(r.run_id) from unnest(array['gap', 'parked']) as r (run_id);

select is(r.begun_at, '2026-03-01 12:00:00+00'::timestamptz, r.run_id) from runstore.list_runs() as r;

select * from finish();
rollback;
