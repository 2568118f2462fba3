begin;
\ir ../_helpers/load.sql
select plan(4);

select pg_temp.append_types('run ' || n, 'RunStarted', 'StepCompleted') from generate_series(1, 6) as n;
select pg_temp.spoil('run 2', 2);
select pg_temp.spoil('run 5', 2);

select is(runstore.project_pending(), 4::bigint, 'the others in the same call are brought to their end');
select is(
    (
        select array_agg(s.last_event_seq || coalesce(s.snapshot_data ->> 'stale', '?') order by s.run_id collate "C")
        from runstore.run_snapshots as s
    ),
    '{2false,0true,2false,2false,0true,2false}',
    'only the damaged ones are parked'
);
select results_eq(
    'select a.code::text collate "default", a.run_id::text collate "default" from runstore.alerts as a order by 2',
    $$ values ('PROJECTION_FAILED'::text, 'run 2'::text), ('PROJECTION_FAILED', 'run 5') $$,
    'with one alert each'
);
select pg_temp.append_types('run ' || n, 'RunPaused') from generate_series(1, 6) as n;
select is(runstore.project_pending(), 4::bigint, 'and so the next time');

select * from finish();
rollback;
