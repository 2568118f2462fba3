-- The four roles that grants are given to. Roles belong to the whole cluster: a second store in another database
-- finds them there and shares them, and an installer without CREATEROLE needs them made beforehand.
do $$
declare
    v_role record;
begin
    for v_role in
        select r.name, r.purpose
        from (values
            ('runstore_reader', 'runstore: reads events and views'),
            ('runstore_writer', 'runstore: appends events'),
            ('runstore_worker', 'runstore: reads, and runs background work'),
            ('runstore_admin', 'runstore: everything, settings and bindings included')
        ) as r (name, purpose)
        where not exists (select from pg_catalog.pg_roles as p where p.rolname = r.name)
    loop
        begin
            execute pg_catalog.format('create role %I nologin', v_role.name);
            execute pg_catalog.format('comment on role %I is %L', v_role.name, v_role.purpose);
        exception
            when duplicate_object or unique_violation then
                null; -- another database of this cluster made it in the meantime
        end;
    end loop;
end
$$;

grant usage on schema runstore to runstore_reader, runstore_writer, runstore_worker, runstore_admin;
