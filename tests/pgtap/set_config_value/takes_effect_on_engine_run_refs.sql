begin;
\ir ../_helpers/load.sql
select plan(4);

select runstore.set_config_value('max_payload_bytes', '20');

select is(
    pg_temp.outcome(c.statement) - 'index',
    '{"code": "RS005", "field": "engineRunRef", "expected": "at most 20 octets of JSON text"}'::jsonb,
    format('%s form', c.form)
)
from pg_temp.calls(pg_temp.event('{"engineRunRef": {"a": "123456789012"}}')) as c;

select * from finish();
rollback;
