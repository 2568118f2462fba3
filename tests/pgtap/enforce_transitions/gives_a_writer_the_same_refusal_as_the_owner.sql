begin;
\ir ../_helpers/load.sql
select plan(4);

select pg_temp.make_login('writing_login', 'runstore_writer');
select runstore.set_config_value('projection_mode', 'inline');
select runstore.set_config_value('enforce_transitions', 'true');

select is(pg_temp.error(c.statement, 'writing_login'), pg_temp.error(c.statement), format('%s form', c.form))
from pg_temp.calls(pg_temp.event('{"eventType": "RunPaused"}')) as c;

select * from finish();
rollback;
