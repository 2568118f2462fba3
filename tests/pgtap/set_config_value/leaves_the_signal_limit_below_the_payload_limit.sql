begin;
\ir ../_helpers/load.sql
select plan(2);

select runstore.set_config_value('max_payload_bytes', '20');

select is(
    pg_temp.outcome(c.statement) - 'index',
    '{"code": "RS005", "field": "payload", "expected": "at most 20 octets of JSON text"}'::jsonb,
    format('a signal is a payload too, %s form', c.form)
)
from pg_temp.calls(pg_temp.event('{"eventType": "SignalAccepted", "payload": {"a": "123456789012"}}')) as c
where c.form in ('named', 'batch');

select * from finish();
rollback;
