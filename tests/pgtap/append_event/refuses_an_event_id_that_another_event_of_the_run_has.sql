begin;
\ir ../_helpers/load.sql
select plan(4);

select pg_temp.append(jsonb_build_object('eventId', pg_temp.id(1)));

select is(
    pg_temp.outcome(c.statement) - array['expected', 'index'],
    jsonb_build_object('code', 'RS003', 'field', 'eventId', 'value', pg_temp.id(1)),
    format('%s form', c.form)
)
from pg_temp.calls(pg_temp.event(jsonb_build_object('eventType', 'RunFailed', 'eventId', pg_temp.id(1)))) as c;

select * from finish();
rollback;
