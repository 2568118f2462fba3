-- Schema, roles, errors, settings and tenant bindings.

create schema runstore;

comment on schema runstore is
'Append-only run event log. The tables are private; functions and views are the interface.';

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

-- The version of the installed schema, equal to the version of the package that carries it. Reads nothing, locks
-- nothing.
create function runstore.version()
returns text
language sql immutable parallel safe
return '0.1.0';

comment on function runstore.version() is
'Version of the installed schema.';

revoke all on function runstore.version() from public;
grant execute on function runstore.version()
to runstore_reader, runstore_writer, runstore_worker, runstore_admin;

-- The one source of time. It reads no setting, because a setting would let any login forge time; a test that needs
-- another time replaces this function. Inlined by the planner, so it costs what clock_timestamp() costs.
create function runstore.clock()
returns timestamptz
language sql volatile parallel safe
return pg_catalog.clock_timestamp();

comment on function runstore.clock() is
'The store''s only source of time: the wall clock.';

revoke all on function runstore.clock() from public;

create table runstore.error_codes (
    code text collate "C" not null,
    name text collate "C" not null,
    meaning text not null,
    constraint error_codes_pkey primary key (code)
);

comment on table runstore.error_codes is 'Every error that runstore raises, one row each.';
comment on column runstore.error_codes.code is 'SQLSTATE; callers branch on it.';
comment on column runstore.error_codes.name is 'Name that opens the message.';
comment on column runstore.error_codes.meaning is 'When it is raised.';
comment on index runstore.error_codes_pkey is 'One row per SQLSTATE.';

insert into runstore.error_codes (code, name, meaning) values
('RS001', 'INVALID_EVENT', 'A field of an event is missing or malformed.'),
('RS002', 'RUN_IDENTITY_MISMATCH', 'The run exists under another tenant, project or environment.'),
('RS003', 'EVENT_ID_REUSED', 'The event id is already another event of this run.'),
('RS005', 'PAYLOAD_TOO_LARGE', 'A payload, engine run reference or signal is over its size limit.'),
('RS006', 'SIGNAL_RATE_EXCEEDED', 'The run has had its signals for this minute.'),
('RS009', 'APPEND_ONLY', 'The log was to be updated, deleted from or truncated.'),
('RS010', 'INVALID_ARGUMENT', 'A limit, watermark, name, key or value is not acceptable.'),
('RS013', 'TENANT_FORBIDDEN', 'The login is bound to other tenants.');

-- The one way to raise an error: SQLSTATE, a message that opens with the error's name, a HINT, and DETAIL as a JSON
-- object of the keys that apply. p_value is cut to 100 characters; callers leave it out for payload content. Never
-- returns. Reads error_codes, locks nothing.
create function runstore.raise_error(
    p_code text,
    p_message text,
    p_hint text,
    p_field text default null,
    p_value text default null,
    p_expected text default null,
    p_index int default null,
    p_retry_after_ms bigint default null
)
returns void
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
begin
    raise exception using
        errcode = p_code,
        message = concat((select c.name || ': ' from runstore.error_codes as c where c.code = p_code), p_message),
        detail = jsonb_strip_nulls(jsonb_build_object(
            'code', p_code,
            'field', p_field,
            'value', left(p_value, 100),
            'expected', p_expected,
            'index', p_index,
            'retryAfterMs', p_retry_after_ms
        ))::text,
        hint = p_hint;
end
$$;

comment on function runstore.raise_error(text, text, text, text, text, text, int, bigint) is
'Raises a runstore error: SQLSTATE, message, HINT and DETAIL as JSON.';

revoke all on function runstore.raise_error(text, text, text, text, text, text, int, bigint) from public;

create table runstore.config (
    singleton boolean not null default true,
    max_payload_bytes int not null default 262144,
    max_signal_bytes int not null default 65536,
    max_signals_per_minute int not null default 60,
    any_login_is_bound boolean not null default false,
    constraint config_pkey primary key (singleton),
    constraint config_is_one_row check (singleton)
);

comment on table runstore.config is 'The store''s settings: one typed row. Change it with set_config_value().';
comment on column runstore.config.singleton is 'Always true: keeps the table at one row.';
comment on column runstore.config.max_payload_bytes is
'Largest payload or engine run reference, in octets of its jsonb text.';
comment on column runstore.config.max_signal_bytes is
'Largest payload of a signal event, in octets of its jsonb text.';
comment on column runstore.config.max_signals_per_minute is 'Most signal events that one run takes in any 60 seconds.';
comment on column runstore.config.any_login_is_bound is
'Whether tenant_bindings has rows, so that an append need not look; kept by bind_login() and unbind_login().';
comment on index runstore.config_pkey is 'Keeps the table at one row.';

insert into runstore.config default values;

create table runstore.config_keys (
    key text collate "C" not null,
    min_value bigint not null,
    max_value bigint not null,
    constraint config_keys_pkey primary key (key)
);

comment on table runstore.config_keys is 'The settings that set_config_value() accepts, and their ranges.';
comment on column runstore.config_keys.key is 'Name of the setting: a column of config.';
comment on column runstore.config_keys.min_value is 'Least accepted value.';
comment on column runstore.config_keys.max_value is 'Greatest accepted value.';
comment on index runstore.config_keys_pkey is 'One row per setting.';

insert into runstore.config_keys (key, min_value, max_value) values
('max_payload_bytes', 2, 67108864),
('max_signal_bytes', 2, 67108864),
('max_signals_per_minute', 1, 1000000);

-- Changes one setting of the store. Appends that begin after this commits use the new value. Locks the config row
-- until the end of the transaction; appends only read it and do not wait. Raises RS010 for an unknown key or a bad
-- value.
create function runstore.set_config_value(p_key text, p_value text)
returns void
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_key runstore.config_keys;
    v_number bigint;
begin
    select k.* into v_key from runstore.config_keys as k where k.key = p_key;

    if not found then
        perform runstore.raise_error(
            'RS010',
            format('key %L is no setting', p_key),
            'Use one of the keys named under "expected".',
            'key', p_key,
            (select string_agg(k.key, ', ' order by k.key) from runstore.config_keys as k)
        );
    end if;

    if p_value ~ '^[0-9]{1,18}$' then
        v_number := p_value::bigint;
    end if;

    if v_number is null or v_number not between v_key.min_value and v_key.max_value then
        perform runstore.raise_error(
            'RS010',
            format('value %L does not fit %s', p_value, p_key),
            'Give a whole number in the range named under "expected".',
            'value', p_value,
            format('a whole number from %s to %s', v_key.min_value, v_key.max_value)
        );
    end if;

    update runstore.config as c
    set
        max_payload_bytes = case p_key when 'max_payload_bytes' then v_number else c.max_payload_bytes end,
        max_signal_bytes = case p_key when 'max_signal_bytes' then v_number else c.max_signal_bytes end,
        max_signals_per_minute = case p_key when 'max_signals_per_minute' then v_number else c.max_signals_per_minute end;
end
$$;

comment on function runstore.set_config_value(text, text) is
'Changes one setting of the store. RS010 for an unknown key or a value out of range.';

revoke all on function runstore.set_config_value(text, text) from public;
grant execute on function runstore.set_config_value(text, text) to runstore_admin;

-- Whether a text can be an identifier: 1 to 255 characters without '|', the separator of the idempotency key. Null
-- gives null. Inlined into the caller's expression: costs no call.
create function runstore.is_identifier(p_text text)
returns boolean
language sql immutable parallel safe
return p_text <> '' and pg_catalog.length(p_text) <= 255 and pg_catalog.strpos(p_text, '|') = 0;

comment on function runstore.is_identifier(text) is
'True for 1 to 255 characters without "|", null for null.';

revoke all on function runstore.is_identifier(text) from public;

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

-- The tenants that the session's login is bound to: always exactly one row, null when the login is unbound and sees
-- all. A view and not a function, because views that filter by it check function privileges against the reader.
create view runstore.session_tenants with (security_barrier = true) as
select pg_catalog.array_agg(b.tenant_id) as tenants
from runstore.tenant_bindings as b
where b.login = session_user;

comment on view runstore.session_tenants is 'The tenants that the session''s login is bound to, one row.';
comment on column runstore.session_tenants.tenants is 'Bound tenants; null when the login is unbound.';

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
