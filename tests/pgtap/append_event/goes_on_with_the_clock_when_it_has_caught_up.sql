begin;
\ir ../_helpers/load.sql
select plan(3);

select pg_temp.stop_clock('2026-03-01 12:00:00+00');
select pg_temp.append();
select pg_temp.stop_clock('2026-03-01 11:00:00+00');

select is(
    (pg_temp.append('{"eventType": "RunPaused"}')).persisted_at, '2026-03-01 12:00:00+00'::timestamptz, 'behind'
);
select pg_temp.stop_clock('2026-03-01 12:00:00+00');
select is(
    (pg_temp.append('{"eventType": "RunResumed"}')).persisted_at, '2026-03-01 12:00:00+00'::timestamptz, 'level'
);
select pg_temp.stop_clock('2026-03-01 12:00:00.000001+00');
select is(
    (pg_temp.append('{"eventType": "RunFailed"}')).persisted_at, '2026-03-01 12:00:00.000001+00'::timestamptz, 'ahead'
);

select * from finish();
rollback;
