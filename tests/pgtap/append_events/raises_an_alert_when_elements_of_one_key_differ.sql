begin;
\ir ../_helpers/load.sql
select plan(2);

select runstore.append_events(jsonb_build_array(
    pg_temp.event(jsonb_build_object('idempotencyKey', pg_temp.key(1), 'eventId', pg_temp.id(1))),
    pg_temp.event(jsonb_build_object('idempotencyKey', pg_temp.key(1))),
    pg_temp.event(jsonb_build_object('idempotencyKey', pg_temp.key(1), 'eventType', 'RunPaused')),
    pg_temp.event(jsonb_build_object('idempotencyKey', pg_temp.key(1), 'payload', '{"a": 1}'::jsonb)),
    pg_temp.event(jsonb_build_object('idempotencyKey', pg_temp.key(2), 'eventType', 'RunPaused'))
));

select is((select count(*) from runstore.alerts), 1::bigint, 'one alert');
select is(
    to_jsonb(a),
    jsonb_build_object(
        'code', 'IDEMPOTENCY_CONFLICT', 'run_id', 'run-1', 'tenant_id', 'tenant-1', 'event_id', pg_temp.id(1),
        'run_seq', 1, 'count', 2, 'details', '{"differs": ["payload"]}'::jsonb
    ),
    'for the first of them, counted'
)
from (
    select a.code, a.run_id, a.tenant_id, a.event_id, a.run_seq, a.count, a.details from runstore.alerts as a
) as a;

select * from finish();
rollback;
