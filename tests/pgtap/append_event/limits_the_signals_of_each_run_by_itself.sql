begin;
\ir ../_helpers/load.sql
select plan(4);

select runstore.set_config_value('max_signals_per_minute', '1');
select pg_temp.append('{"eventType": "SignalAccepted"}');

select is(
    pg_temp.outcome(replace(c.statement, 'run-1', c.form)), '{}', format('another run, %s form', c.form)
)
from pg_temp.calls(pg_temp.event('{"eventType": "SignalAccepted"}')) as c;

select * from finish();
rollback;
