begin;
\ir ../_helpers/load.sql
select plan(5);

select pg_temp.append_types('run ' || n, 'RunStarted', 'RunPaused', 'RunResumed') from generate_series(1, 5) as n;
select pg_temp.lose('run 3', 2);

select is(runstore.project_pending(), 4::bigint, 'the others are brought to their end');
select is(
    (select array_agg(s.last_event_seq order by s.run_id collate "C") from runstore.run_snapshots as s),
    '{3,3,1,3,3}'::bigint[],
    'as far as each can go'
);
select is(
    (select array_agg(s.snapshot_data -> 'stale' order by s.run_id collate "C") from runstore.run_snapshots as s),
    array['false', 'false', 'true', 'false', 'false']::jsonb[],
    'only one is stale'
);

select pg_temp.append_types('run ' || n, 'RunCompleted') from generate_series(1, 6) as n;
select is(runstore.project_pending(), 5::bigint, 'and so they are the next time');
select results_eq(
    'select a.run_id::text collate "default" from runstore.alerts as a', $$ values ('run 3'::text) $$, 'one alert'
);

select * from finish();
rollback;
