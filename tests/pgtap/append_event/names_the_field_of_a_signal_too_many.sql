begin;
\ir ../_helpers/load.sql
select plan(4);

select runstore.set_config_value('max_signals_per_minute', '1');
select pg_temp.append('{"eventType": "SignalAccepted"}');

select is(
    pg_temp.outcome(c.statement) -> 'problems', null, format('in the message as in the detail, %s form', c.form)
)
from pg_temp.calls(pg_temp.event('{"eventType": "SignalRejected"}')) as c;

select * from finish();
rollback;
