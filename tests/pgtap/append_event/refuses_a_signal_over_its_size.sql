begin;
\ir ../_helpers/load.sql
select plan(10);

select is(
    octet_length(jsonb_build_object('a', repeat('x', 65527))::text), 65536, 'the largest payload of a signal'
);

select is(
    pg_temp.outcome(c.statement) - 'index',
    '{"code": "RS005", "field": "payload", "expected": "at most 65536 octets of JSON text in a signal"}'::jsonb,
    format('one octet more is refused: %s, %s form', t.event_type, c.form)
)
from unnest(array['SignalAccepted', 'SignalRejected']) as t (event_type)
cross join lateral pg_temp.calls(pg_temp.event(
    jsonb_build_object('eventType', t.event_type, 'payload', jsonb_build_object('a', repeat('x', 65528)))
)) as c;

select is(
    pg_temp.outcome(format('select pg_temp.append(%L)', jsonb_build_object(
        'eventType', 'Heartbeat', 'payload', jsonb_build_object('a', repeat('x', 65528))
    ))),
    '{}',
    'an event that is no signal is not held to it'
);

select * from finish();
rollback;
