begin;
\ir ../_helpers/load.sql
select plan(4);

select pg_temp.make_login('tenant_login', 'runstore_writer');
select runstore.bind_login('tenant_login', 'tenant-1');
select pg_temp.append('{"tenantId": "tenant-2"}');

select is(
    pg_temp.outcome(c.statement, 'tenant_login') ->> 'code', 'RS013', format('%s form', c.form)
)
from pg_temp.calls(pg_temp.event('{"tenantId": "tenant-2"}')) as c;

select * from finish();
rollback;
