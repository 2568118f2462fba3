begin;
\ir ../_helpers/load.sql
select plan(4);

select pg_temp.stop_clock('2026-03-01 12:00:00.123456+00');

select is(
    pg_temp.rows_for(session_user, replace(c.statement, 'run-1', c.form)) #>> '{0, persisted_at}',
    to_jsonb('2026-03-01 12:00:00.123456+00'::timestamptz) #>> '{}',
    format('%s form', c.form)
)
from pg_temp.calls(pg_temp.event()) as c;

select * from finish();
rollback;
