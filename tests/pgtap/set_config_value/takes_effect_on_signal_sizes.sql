begin;
\ir ../_helpers/load.sql
select plan(8);

select runstore.set_config_value('max_signal_bytes', '20');

select is(
    pg_temp.outcome(replace(c.statement, 'run-1', c.form)), '{}', format('20 octets are taken, %s form', c.form)
)
from pg_temp.calls(pg_temp.event('{"eventType": "SignalAccepted", "payload": {"a": "12345678901"}}')) as c;
select is(
    pg_temp.outcome(c.statement) - 'index',
    '{"code": "RS005", "field": "payload", "expected": "at most 20 octets of JSON text in a signal"}'::jsonb,
    format('21 are not, %s form', c.form)
)
from pg_temp.calls(pg_temp.event('{"eventType": "SignalAccepted", "payload": {"a": "123456789012"}}')) as c;

select * from finish();
rollback;
