begin;
\ir ../_helpers/load.sql
select plan(2);

select pg_temp.stop_clock('2026-03-01 12:00:00+00');
select pg_temp.append(jsonb_build_object('idempotencyKey', pg_temp.key(1)));
select pg_temp.append(jsonb_build_object('idempotencyKey', pg_temp.key(1), 'eventType', 'RunFailed'));
select pg_temp.stop_clock('2026-03-01 12:01:00+00');
select pg_temp.append(jsonb_build_object('idempotencyKey', pg_temp.key(1), 'eventType', 'RunFailed'));
select pg_temp.stop_clock('2026-03-01 12:02:00+00');
select pg_temp.append(jsonb_build_object('idempotencyKey', pg_temp.key(1), 'payload', '{"a": 1}'::jsonb));

select is((select count(*) from runstore.alerts), 1::bigint, 'one alert');
select is(
    to_jsonb(a),
    jsonb_build_object(
        'raised_at', '2026-03-01 12:00:00+00'::timestamptz, 'last_seen_at', '2026-03-01 12:02:00+00'::timestamptz,
        'count', 3, 'details', '{"differs": ["payload"]}'::jsonb
    ),
    'that knows its first, its latest and how many'
)
from (select a.raised_at, a.last_seen_at, a.count, a.details from runstore.alerts as a) as a;

select * from finish();
rollback;
