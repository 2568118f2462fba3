begin;
select plan(1);

select results_eq(
    $$
    select r.rolname::text collate "default"
    from pg_roles as r
    where r.rolname like 'runstore\_%' and not (r.rolcanlogin or r.rolsuper or r.rolcreaterole or r.rolcreatedb)
    order by 1
    $$,
    $$ values ('runstore_admin'::text), ('runstore_reader'), ('runstore_worker'), ('runstore_writer') $$
);

select * from finish();
rollback;
