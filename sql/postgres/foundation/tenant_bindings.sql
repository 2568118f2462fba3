create table runstore.tenant_bindings (
    login name not null,
    tenant_id text collate "C" not null,
    constraint tenant_bindings_pkey primary key (login, tenant_id)
);

comment on table runstore.tenant_bindings is
'Which tenants a login is confined to. A login without a row here is unbound and sees all tenants.';
comment on column runstore.tenant_bindings.login is 'Login, compared with session_user.';
comment on column runstore.tenant_bindings.tenant_id is 'A tenant that the login may name, write to and see.';
comment on index runstore.tenant_bindings_pkey is 'One row per login and tenant.';
