-- Refuses an event whose tenant the session's login is not bound to. Never returns. Reads and locks nothing else.
create function runstore.refuse_foreign_tenant(p_tenant_id text, p_index int default null)
returns void
language plpgsql stable
as $$
begin
    perform runstore.raise_error(
        'RS013',
        pg_catalog.concat(
            'event ' || p_index::text || ' of the batch: ',
            pg_catalog.format('tenantId "%s" is closed to login %s', pg_catalog.left(p_tenant_id, 100), session_user)
        ),
        'Use a login for this tenant, or have an administrator bind this one with bind_login().',
        'tenantId',
        p_tenant_id,
        'a tenant that the login is bound to',
        p_index
    );
end
$$;

comment on function runstore.refuse_foreign_tenant(text, int) is
'Raises RS013 for a tenant that the session''s login is not bound to.';

revoke all on function runstore.refuse_foreign_tenant(text, int) from public;
