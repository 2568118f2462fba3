begin;
\ir ../_helpers/load.sql
select plan(8);

select pg_temp.make_login('tenant_login', 'runstore_writer');
select runstore.bind_login('tenant_login', 'tenant-1');

select is(
    pg_temp.outcome(replace(c.statement, 'run-1', c.form), 'tenant_login'),
    '{}',
    format('its own tenant, %s form', c.form)
)
from pg_temp.calls(pg_temp.event()) as c;
select is(
    pg_temp.outcome(c.statement, 'tenant_login') - array['expected', 'index'],
    '{"code": "RS013", "field": "tenantId", "value": "tenant-2"}'::jsonb,
    format('a foreign tenant, %s form', c.form)
)
from pg_temp.calls(pg_temp.event('{"tenantId": "tenant-2"}')) as c;

select * from finish();
rollback;
