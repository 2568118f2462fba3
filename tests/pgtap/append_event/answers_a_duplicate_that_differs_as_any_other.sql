begin;
\ir ../_helpers/load.sql
select plan(4);

select pg_temp.stop_clock('2026-03-01 12:00:00+00');
select pg_temp.append(jsonb_build_object('idempotencyKey', pg_temp.key(1), 'eventId', pg_temp.id(1)));

select is(
    pg_temp.rows_for(session_user, c.statement),
    '[{
        "event_id": "00000000-0000-4000-8000-000000000001", "run_seq": 1,
        "persisted_at": "2026-03-01T12:00:00+00:00", "idempotent": true, "persisted": false
    }]'::jsonb,
    format('%s form', c.form)
)
from pg_temp.calls(
    pg_temp.event(jsonb_build_object('idempotencyKey', pg_temp.key(1), 'eventType', 'RunFailed'))
) as c;

select * from finish();
rollback;
