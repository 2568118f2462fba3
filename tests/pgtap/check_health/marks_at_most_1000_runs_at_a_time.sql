-- Whatever plan is taken: here the one that would look for the runs once for each run that waits.
begin;
\ir ../_helpers/load.sql
select plan(3);

select pg_temp.stop_clock('2026-03-01 12:00:01+00');
select runstore.append_events((
    select jsonb_agg(pg_temp.event(jsonb_build_object('runId', 'run ' || n))) from generate_series(1, 1000) as n
));
select pg_temp.stop_clock('2026-03-01 12:00:00+00');
select pg_temp.append('{"runId": "oldest"}');
select pg_temp.stop_clock('2026-03-01 12:01:00+00');

set local enable_hashagg = off;
set local enable_hashjoin = off;
set local enable_mergejoin = off;
set local enable_material = off;
set local enable_sort = off;
select is(runstore.check_health() -> 'runsMarkedForResync', '1000'::jsonb, 'the first thousand');
select ok((select d.wants_resync from runstore.due_runs as d where d.run_id = 'oldest'), 'that wait longest');
select is(runstore.check_health() -> 'runsMarkedForResync', '1'::jsonb, 'and the rest the next time');

select * from finish();
rollback;
