-- The tenants that the session's login is bound to: always exactly one row, null when the login is unbound and sees
-- all. A view and not a function, because views that filter by it check function privileges against the reader.
create view runstore.session_tenants with (security_barrier = true) as
select pg_catalog.array_agg(b.tenant_id) as tenants
from runstore.tenant_bindings as b
where b.login = session_user;

comment on view runstore.session_tenants is 'The tenants that the session''s login is bound to, one row.';
comment on column runstore.session_tenants.tenants is 'Bound tenants; null when the login is unbound.';
