begin;
select plan(3);

select is_empty(
    $$
    select p.oid::regprocedure
    from pg_proc as p
    cross join lateral aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) as a
    where p.pronamespace = 'runstore'::regnamespace and a.grantee = 0
    $$,
    'no function'
);
select is_empty(
    $$
    select c.oid::regclass
    from pg_class as c
    cross join lateral aclexplode(c.relacl) as a
    where c.relnamespace = 'runstore'::regnamespace and a.grantee = 0
    union all
    select t.attrelid::regclass
    from pg_attribute as t
    inner join pg_class as c on t.attrelid = c.oid
    cross join lateral aclexplode(t.attacl) as a
    where c.relnamespace = 'runstore'::regnamespace and a.grantee = 0
    $$,
    'no table or view'
);
select is_empty(
    $$
    select a.privilege_type
    from pg_namespace as n
    cross join lateral aclexplode(coalesce(n.nspacl, acldefault('n', n.nspowner))) as a
    where n.nspname = 'runstore' and a.grantee = 0
    $$,
    'not the schema'
);

select * from finish();
rollback;
