begin;
\ir ../_helpers/load.sql
select plan(1);

select pg_temp.make_login('tenant_login');
select runstore.bind_login('tenant_login', 'tenant-1');
drop role tenant_login;

select is(pg_temp.outcome($$ select runstore.unbind_login('tenant_login', 'tenant-1') $$), '{}');

select * from finish();
rollback;
