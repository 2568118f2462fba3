begin;
\ir ../_helpers/load.sql
select plan(2);

select pg_temp.make_login('tenant_login', 'runstore_writer');
select runstore.bind_login('tenant_login', 'tenant-1');

select is(
    pg_temp.error($$ select runstore.bind_login('nobody', 'tenant-1') $$) - array['sqlstate', 'detail'],
    '{
        "message": "INVALID_ARGUMENT: login ''nobody'' does not exist",
        "hint": "Create the login first, or correct its name."
    }'::jsonb,
    'an unknown login'
);
select is(
    pg_temp.error(c.statement, 'tenant_login') - array['sqlstate', 'detail'],
    '{
        "message": "TENANT_FORBIDDEN: tenantId \"tenant-2\" is closed to login tenant_login",
        "hint": "Use a login for this tenant, or have an administrator bind this one with bind_login()."
    }'::jsonb,
    'a foreign tenant'
)
from pg_temp.calls(pg_temp.event('{"tenantId": "tenant-2"}')) as c
where c.form = 'named';

select * from finish();
rollback;
