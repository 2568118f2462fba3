-- Confines a login to a tenant, in addition to those it is bound to already; binding twice is no error. Its calls
-- that begin after this commits are confined. Raises RS010 for a login that does not exist: a misspelt name would
-- leave the real login unbound, and so unconfined. Renaming a login unbinds it: bind the new name first. Locks the
-- config row, which readers do not wait for.
create function runstore.bind_login(p_login name, p_tenant_id text)
returns void
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
begin
    if not exists (select from pg_roles as r where r.rolname = p_login) then
        perform runstore.raise_error(
            'RS010',
            format('login %L does not exist', p_login),
            'Create the login first, or correct its name.',
            'login', p_login::text, 'an existing role'
        );
    end if;

    if runstore.is_identifier(p_tenant_id) is not true then
        perform runstore.raise_error(
            'RS010',
            format('tenantId %L is not valid', p_tenant_id),
            'Give the tenant id exactly as the events carry it.',
            'tenantId', p_tenant_id, '1 to 255 characters without "|"'
        );
    end if;

    update runstore.config set any_login_is_bound = true;

    insert into runstore.tenant_bindings (login, tenant_id)
    values (p_login, p_tenant_id)
    on conflict do nothing;
end
$$;

comment on function runstore.bind_login(name, text) is
'Confines a login to a tenant, in addition to those it is bound to already.';

revoke all on function runstore.bind_login(name, text) from public;
grant execute on function runstore.bind_login(name, text) to runstore_admin;
