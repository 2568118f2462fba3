begin;
\ir ../_helpers/load.sql
select plan(2);

select pg_temp.stop_clock('2026-03-01 12:00:00+00');
select pg_temp.append();
select pg_temp.stop_clock('2026-03-01 11:00:00+00');

select is(
    (pg_temp.append('{"runId": "run-2"}')).persisted_at, '2026-03-01 11:00:00+00'::timestamptz, 'append_event'
);
select is(
    (
        select a.persisted_at
        from runstore.append_events(jsonb_build_array(pg_temp.event('{"runId": "run-3"}'))) as a
    ),
    '2026-03-01 11:00:00+00'::timestamptz,
    'append_events'
);

select * from finish();
rollback;
