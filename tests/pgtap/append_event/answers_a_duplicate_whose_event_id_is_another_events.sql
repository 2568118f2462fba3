begin;
\ir ../_helpers/load.sql
select plan(4);

select pg_temp.append(jsonb_build_object('eventId', pg_temp.id(n), 'logicalAttemptId', n))
from generate_series(1, 2) as n;

select is(
    pg_temp.rows_for(session_user, c.statement) #>> '{0, event_id}',
    pg_temp.id(1)::text,
    format('the key is the first event''s, the id the second''s, %s form', c.form)
)
from pg_temp.calls(pg_temp.event(jsonb_build_object('eventId', pg_temp.id(2), 'logicalAttemptId', 1))) as c;

select * from finish();
rollback;
