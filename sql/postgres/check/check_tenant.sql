-- Refuses a tenant that the session's login is not bound to (RS013). An unbound login may name any. Reads
-- tenant_bindings.
create function runstore.check_tenant(p_tenant_id text)
returns void
language plpgsql stable
as $$
begin
    if runstore.tenant_is_foreign(p_tenant_id) then
        perform runstore.refuse_foreign_tenant(p_tenant_id);
    end if;
end
$$;

comment on function runstore.check_tenant(text) is
'Raises RS013 for a tenant that the session''s login is not bound to.';

revoke all on function runstore.check_tenant(text) from public;
