begin;
select plan(1);

select is_empty(
    $$
    select a.grantee::regrole, a.privilege_type
    from (
        select p.proacl as acl from pg_proc as p where p.pronamespace = 'runstore'::regnamespace
        union all
        select c.relacl from pg_class as c where c.relnamespace = 'runstore'::regnamespace
        union all
        select n.nspacl from pg_namespace as n where n.nspname = 'runstore'
    ) as o
    cross join lateral aclexplode(o.acl) as a
    where a.is_grantable and a.grantee::regrole::text like 'runstore\_%'
    $$
);

select * from finish();
rollback;
