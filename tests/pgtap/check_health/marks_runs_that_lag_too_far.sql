begin;
\ir ../_helpers/load.sql
select plan(4);

select pg_temp.stop_clock('2026-03-01 12:00:00+00');
select pg_temp.append('{"runId": "late"}');
select pg_temp.stop_clock('2026-03-01 12:00:00.000001+00');
select pg_temp.append('{"runId": "not so late"}');
select pg_temp.stop_clock('2026-03-01 12:00:10+00');
select is(runstore.check_health() -> 'runsMarkedForResync', '0'::jsonb, 'none at 10 s');

select pg_temp.stop_clock('2026-03-01 12:00:10.000001+00');
select is(runstore.check_health() -> 'runsMarkedForResync', '1'::jsonb, 'one after that');
select results_eq(
    'select d.run_id::text collate "default", d.wants_resync from runstore.due_runs as d order by 1',
    $$ values ('late'::text, true), ('not so late', false) $$,
    'the one that waits too long'
);
select is(runstore.check_health() -> 'runsMarkedForResync', '0'::jsonb, 'each is marked once');

select * from finish();
rollback;
