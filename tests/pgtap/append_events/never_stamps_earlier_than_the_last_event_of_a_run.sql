begin;
\ir ../_helpers/load.sql
select plan(1);

select pg_temp.stop_clock('2026-03-01 12:00:00+00');
select pg_temp.append();
select pg_temp.stop_clock('2026-03-01 11:00:00+00');

select results_eq(
    $$
    select a.persisted_at
    from runstore.append_events(jsonb_build_array(
        pg_temp.event('{"eventType": "RunPaused"}'),
        pg_temp.event('{"runId": "run-2"}'),
        pg_temp.event(),
        pg_temp.event('{"eventType": "RunResumed"}')
    )) as a
    $$,
    $$ values
    ('2026-03-01 12:00:00+00'::timestamptz), ('2026-03-01 11:00:00+00'), ('2026-03-01 12:00:00+00'),
    ('2026-03-01 12:00:00+00')
    $$
);

select * from finish();
rollback;
