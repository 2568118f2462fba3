begin;
\ir ../_helpers/load.sql
select plan(9);

select runstore.set_config_value('max_signals_per_minute', '2');
select pg_temp.append('{"eventType": "SignalAccepted"}');

select is(pg_temp.outcome(c.statement), '{}', format('below the limit, %s form', c.form))
from pg_temp.calls(pg_temp.event('{"eventType": "SignalAccepted"}')) as c;

select is(
    pg_temp.outcome($$ select pg_temp.append('{"eventType": "SignalRejected"}') $$), '{}', 'the second signal'
);

select is(pg_temp.outcome(c.statement), '{}', format('at the limit, %s form', c.form))
from pg_temp.calls(pg_temp.event('{"eventType": "SignalAccepted"}')) as c;

select * from finish();
rollback;
