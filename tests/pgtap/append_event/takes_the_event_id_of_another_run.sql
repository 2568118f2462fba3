begin;
\ir ../_helpers/load.sql
select plan(4);

select pg_temp.append(jsonb_build_object('eventId', pg_temp.id(1)));

select is(
    pg_temp.rows_for(session_user, replace(c.statement, 'run-1', c.form)) #> '{0, persisted}',
    'true'::jsonb,
    format('%s form', c.form)
)
from pg_temp.calls(pg_temp.event(jsonb_build_object('eventId', pg_temp.id(1)))) as c;

select * from finish();
rollback;
