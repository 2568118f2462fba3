begin;
\ir ../_helpers/load.sql
select plan(1);

select pg_temp.stop_clock('2026-03-01 12:00:00+00');

select results_eq(
    $$
    select a.event_id, a.run_seq, a.persisted_at, a.idempotent, a.persisted
    from runstore.append_events((
        select jsonb_agg(
            pg_temp.event(jsonb_build_object('eventType', 'Custom', 'logicalAttemptId', n, 'eventId', pg_temp.id(n)))
            order by n desc
        )
        from generate_series(1, 9) as n
    )) as a
    $$,
    $$
    select pg_temp.id(10 - n), n::bigint, '2026-03-01 12:00:00+00'::timestamptz, false, true
    from generate_series(1, 9) as n
    $$
);

select * from finish();
rollback;
