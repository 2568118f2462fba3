begin;
\ir ../_helpers/load.sql
select plan(2);

select pg_temp.make_login('tenant_login');
select runstore.bind_login('tenant_login', 'tenant-1');

select is(pg_temp.outcome($$ select runstore.bind_login('tenant_login', 'tenant-1') $$), '{}', 'it succeeds');
select is((select count(*) from runstore.tenant_bindings), 1::bigint, 'and binds once');

select * from finish();
rollback;
