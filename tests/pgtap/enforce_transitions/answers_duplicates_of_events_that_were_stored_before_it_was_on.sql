-- The event was taken while nobody minded, and its run has not been projected since.
begin;
\ir ../_helpers/load.sql
select plan(4);

select pg_temp.append('{"eventType": "RunCompleted"}');
select pg_temp.append(jsonb_build_object('eventType', 'RunPaused', 'eventId', pg_temp.id(2)));
select runstore.set_config_value('projection_mode', 'inline');
select runstore.set_config_value('enforce_transitions', 'true');

select is(
    pg_temp.outcome(c.statement), '{}', format('%s form', c.form)
)
from pg_temp.calls(pg_temp.event(jsonb_build_object('eventType', 'RunPaused', 'eventId', pg_temp.id(2)))) as c;

select * from finish();
rollback;
