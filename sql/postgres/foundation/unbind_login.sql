-- Takes one binding back. A login whose last binding goes is unbound and sees all tenants: to lock a login out,
-- revoke its role instead. Raises RS010 when there is no such binding. Locks the config row, which readers do not
-- wait for.
create function runstore.unbind_login(p_login name, p_tenant_id text)
returns void
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
begin
    perform from runstore.config for update;

    delete from runstore.tenant_bindings as b
    where b.login = p_login and b.tenant_id = p_tenant_id;

    if not found then
        perform runstore.raise_error(
            'RS010',
            format('login %L is not bound to tenant %L', p_login, p_tenant_id),
            'Check both names; the binding may have been taken back already.',
            'login', p_login::text, 'a login that is bound to the tenant'
        );
    end if;

    update runstore.config set any_login_is_bound = exists (select from runstore.tenant_bindings);
end
$$;

comment on function runstore.unbind_login(name, text) is
'Takes one binding back. A login without any binding sees all tenants.';

revoke all on function runstore.unbind_login(name, text) from public;
grant execute on function runstore.unbind_login(name, text) to runstore_admin;
