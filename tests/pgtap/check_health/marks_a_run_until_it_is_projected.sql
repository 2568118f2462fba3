begin;
\ir ../_helpers/load.sql
select plan(3);

select pg_temp.stop_clock('2026-03-01 12:00:00+00');
select pg_temp.append_types('run-1', 'RunStarted');
select pg_temp.stop_clock('2026-03-01 12:00:11+00');
select runstore.check_health();

select is(runstore.project_pending(), 1::bigint, 'the projector brings it to its end');
select is((select count(*) from runstore.due_runs), 0::bigint, 'and the mark goes with the note');
select pg_temp.append_types('run-1', 'RunPaused');
select is((select d.wants_resync from runstore.due_runs as d), false, 'the next note has none');

select * from finish();
rollback;
