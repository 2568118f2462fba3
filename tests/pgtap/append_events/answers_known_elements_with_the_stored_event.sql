begin;
\ir ../_helpers/load.sql
select plan(2);

select pg_temp.stop_clock('2026-03-01 12:00:00+00');
select pg_temp.append(jsonb_build_object('eventId', pg_temp.id(1)));
select pg_temp.stop_clock('2026-03-01 12:05:00+00');

select results_eq(
    $$
    select a.event_id, a.run_seq, a.persisted_at::text, a.idempotent, a.persisted
    from runstore.append_events(jsonb_build_array(
        pg_temp.event(jsonb_build_object('eventType', 'RunPaused', 'eventId', pg_temp.id(2))),
        pg_temp.event(jsonb_build_object('eventId', pg_temp.id(9))),
        pg_temp.event(jsonb_build_object('eventType', 'RunPaused', 'eventId', pg_temp.id(3))),
        pg_temp.event(jsonb_build_object('eventType', 'RunResumed', 'eventId', pg_temp.id(4))),
        pg_temp.event()
    )) as a
    $$,
    $$ values
    (pg_temp.id(2), 2::bigint, '2026-03-01 12:05:00+00'::timestamptz::text, false, true),
    (pg_temp.id(1), 1, '2026-03-01 12:00:00+00'::timestamptz::text, true, false),
    (pg_temp.id(2), 2, '2026-03-01 12:05:00+00'::timestamptz::text, true, false),
    (pg_temp.id(4), 3, '2026-03-01 12:05:00+00'::timestamptz::text, false, true),
    (pg_temp.id(1), 1, '2026-03-01 12:00:00+00'::timestamptz::text, true, false)
    $$,
    'those of the log and those of the batch'
);
select is((select count(*) from runstore.fetch_events('run-1')), 3::bigint, 'and only the new ones are stored');

select * from finish();
rollback;
