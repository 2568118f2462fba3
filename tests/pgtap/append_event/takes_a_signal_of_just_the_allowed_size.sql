begin;
\ir ../_helpers/load.sql
select plan(8);

select is(
    pg_temp.outcome(replace(c.statement, 'run-1', t.event_type || c.form)),
    '{}',
    format('%s, %s form', t.event_type, c.form)
)
from unnest(array['SignalAccepted', 'SignalRejected']) as t (event_type)
cross join lateral pg_temp.calls(pg_temp.event(
    jsonb_build_object('eventType', t.event_type, 'payload', jsonb_build_object('a', repeat('x', 65527)))
)) as c;

select * from finish();
rollback;
