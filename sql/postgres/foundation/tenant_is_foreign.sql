-- Whether the session's login is bound to tenants and this is none of them. Reads tenant_bindings, locks nothing.
create function runstore.tenant_is_foreign(p_tenant_id text)
returns boolean
language plpgsql stable
as $$
begin
    return exists (select from runstore.session_tenants as s where p_tenant_id <> all(s.tenants));
end
$$;

comment on function runstore.tenant_is_foreign(text) is
'Whether the session''s login is bound to tenants and this is none of them.';

revoke all on function runstore.tenant_is_foreign(text) from public;
