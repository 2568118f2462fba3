-- Takes back 0001.foundation.
drop function runstore.unbind_login(name, text);
drop function runstore.bind_login(name, text);
drop function runstore.tenant_is_foreign(text);
drop view runstore.session_tenants;
drop table runstore.tenant_bindings;
drop function runstore.is_identifier(text);
drop function runstore.set_config_value(text, text);
drop table runstore.config_keys;
drop table runstore.config;
drop function runstore.raise_error(text, text, text, text, text, text, int, bigint);
drop table runstore.error_codes;
drop function runstore.clock();
drop function runstore.version();
drop schema runstore;

-- Roles belong to the whole cluster: those that another database, or a login, still uses stay.
do $$
declare
    v_role record;
begin
    for v_role in
        select r.oid, r.rolname
        from pg_catalog.pg_roles as r
        where
            r.rolname in ('runstore_reader', 'runstore_writer', 'runstore_worker', 'runstore_admin')
            and not exists (
                select from pg_catalog.pg_auth_members as m
                inner join pg_catalog.pg_roles as l on l.oid = m.member
                where m.roleid = r.oid and l.rolname <> current_user
            )
    loop
        begin
            execute pg_catalog.format('drop role %I', v_role.rolname);
        exception
            when dependent_objects_still_exist or insufficient_privilege then
                raise notice 'role % stays: it is in use elsewhere, or not ours to drop', v_role.rolname;
        end;
    end loop;
end
$$;
