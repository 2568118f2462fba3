begin;
\ir ../_helpers/load.sql
select plan(8);

select pg_temp.stop_clock('2026-03-01 12:00:00+00');
select pg_temp.append('{"eventType": "RunQueued"}');
select pg_temp.append(jsonb_build_object('eventId', pg_temp.id(1)));
select pg_temp.stop_clock('2026-03-01 12:05:00+00');

select is(
    pg_temp.rows_for(session_user, c.statement),
    jsonb_build_array(jsonb_build_object(
        'event_id', pg_temp.id(1), 'run_seq', 2, 'persisted_at', '2026-03-01 12:00:00+00'::timestamptz,
        'idempotent', true, 'persisted', false
    )),
    format('%s form, %s', c.form, v.what)
)
from (values
    ('without an event id', '{}'::jsonb),
    ('with the same event id', jsonb_build_object('eventId', pg_temp.id(1)))
) as v (what, changes)
cross join lateral pg_temp.calls(pg_temp.event(v.changes)) as c;

select * from finish();
rollback;
