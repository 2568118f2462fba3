-- Alerts: raised once per run, event and code, listed, acknowledged and resolved.
-- depends: 0001.foundation

create table runstore.alert_codes (
    code text collate "C" not null,
    severity text collate "C" not null,
    meaning text not null,
    constraint alert_codes_pkey primary key (code),
    constraint alert_codes_severity check (severity in ('P1', 'P2', 'P3'))
);

comment on table runstore.alert_codes is 'Every alert that runstore raises, one row each.';
comment on column runstore.alert_codes.code is 'Name of the alert.';
comment on column runstore.alert_codes.severity is 'P1 (now), P2 (today) or P3 (look into it).';
comment on column runstore.alert_codes.meaning is 'What has happened.';
comment on index runstore.alert_codes_pkey is 'One row per alert code.';

insert into runstore.alert_codes (code, severity, meaning) values
(
    'IDEMPOTENCY_CONFLICT', 'P3',
    'An event came again under the key of a stored one, but with another type, step, payload or causing signal.'
);

create table runstore.alert_log (
    alert_id uuid not null,
    run_id text collate "C" not null,
    code text collate "C" not null,
    tenant_id text collate "C",
    event_id uuid,
    run_seq bigint,
    details jsonb not null,
    raised_at timestamptz not null,
    last_seen_at timestamptz not null,
    count bigint not null,
    acknowledged_at timestamptz,
    resolved_at timestamptz,
    constraint alert_log_pkey primary key (run_id, alert_id)
);

create unique index alert_log_open on runstore.alert_log (
    run_id, code, coalesce(event_id, '00000000-0000-0000-0000-000000000000'::uuid)
)
where resolved_at is null;

create index alert_log_alert_id on runstore.alert_log (alert_id);

comment on table runstore.alert_log is 'Alerts, open and resolved. Read them through the view alerts.';
comment on column runstore.alert_log.alert_id is 'Id of the alert.';
comment on column runstore.alert_log.run_id is 'The run that it is about; empty for the whole store.';
comment on column runstore.alert_log.code is 'What has happened, a row of alert_codes.';
comment on column runstore.alert_log.tenant_id is 'Tenant of the run; null for the whole store.';
comment on column runstore.alert_log.event_id is 'The event that it is about, if it is about one.';
comment on column runstore.alert_log.run_seq is 'That event''s position in the run.';
comment on column runstore.alert_log.details is 'What else is known, from the latest occurrence.';
comment on column runstore.alert_log.raised_at is 'First occurrence.';
comment on column runstore.alert_log.last_seen_at is 'Latest occurrence.';
comment on column runstore.alert_log.count is 'Occurrences since it was opened.';
comment on column runstore.alert_log.acknowledged_at is 'When someone took it on.';
comment on column runstore.alert_log.resolved_at is 'When it was closed; a later occurrence opens a new alert.';
comment on index runstore.alert_log_pkey is 'One row per alert.';
comment on index runstore.alert_log_open is 'One open alert per run, event and code.';
comment on index runstore.alert_log_alert_id is 'Finding an alert by its id alone.';

-- Opens an alert, or counts one more occurrence when the same one (run, event, code) is open. It lives and dies with
-- the caller's transaction, and locks the alert's row until that ends.
create function runstore.raise_alert(
    p_code text,
    p_run_id text,
    p_tenant_id text,
    p_event_id uuid,
    p_run_seq bigint,
    p_details jsonb
)
returns void
language plpgsql volatile
as $$
declare
    v_now constant timestamptz := runstore.clock();
begin
    insert into runstore.alert_log as a (
        alert_id, run_id, code, tenant_id, event_id, run_seq, details, raised_at, last_seen_at, count
    )
    values (
        pg_catalog.gen_random_uuid(), p_run_id, p_code, p_tenant_id, p_event_id, p_run_seq, p_details, v_now, v_now, 1
    )
    on conflict (run_id, code, coalesce(event_id, '00000000-0000-0000-0000-000000000000'::uuid))
    where resolved_at is null
    do update set
        count = a.count + 1,
        last_seen_at = greatest(a.last_seen_at, excluded.last_seen_at),
        details = excluded.details;
end
$$;

comment on function runstore.raise_alert(text, text, text, uuid, bigint, jsonb) is
'Opens an alert, or counts one more occurrence of the one that is open.';

revoke all on function runstore.raise_alert(text, text, text, uuid, bigint, jsonb) from public;

-- Every alert, open and resolved. A login that is bound to tenants sees those of its tenants only, and none of the
-- store's.
create view runstore.alerts with (security_barrier = true) as
select
    a.alert_id,
    a.code,
    c.severity,
    a.run_id,
    a.tenant_id,
    a.event_id,
    a.run_seq,
    a.details,
    a.raised_at,
    a.last_seen_at,
    a.count,
    a.acknowledged_at,
    a.resolved_at
from runstore.alert_log as a
inner join runstore.alert_codes as c on a.code = c.code
cross join runstore.session_tenants as s
where s.tenants is null or a.tenant_id = any(s.tenants);

comment on view runstore.alerts is
'Alerts, one open one per run, event and code; a new occurrence after it is resolved opens a new one.';
comment on column runstore.alerts.alert_id is 'Id, for ack_alert() and resolve_alert().';
comment on column runstore.alerts.code is 'What has happened.';
comment on column runstore.alerts.severity is 'P1 (now), P2 (today) or P3 (look into it).';
comment on column runstore.alerts.run_id is 'The run that it is about; empty for the whole store.';
comment on column runstore.alerts.tenant_id is 'Tenant of the run; null for the whole store.';
comment on column runstore.alerts.event_id is 'The event that it is about, if it is about one.';
comment on column runstore.alerts.run_seq is 'That event''s position in the run.';
comment on column runstore.alerts.details is 'What else is known, from the latest occurrence.';
comment on column runstore.alerts.raised_at is 'First occurrence.';
comment on column runstore.alerts.last_seen_at is 'Latest occurrence.';
comment on column runstore.alerts.count is 'Occurrences since it was opened.';
comment on column runstore.alerts.acknowledged_at is 'When someone took it on.';
comment on column runstore.alerts.resolved_at is 'When it was closed.';

grant select on runstore.alerts to runstore_reader, runstore_worker, runstore_admin;

-- Refuses the id of an alert that does not exist or is another tenant's. Never returns.
create function runstore.refuse_alert_id(p_alert_id uuid)
returns void
language plpgsql stable
as $$
begin
    perform runstore.raise_error(
        'RS010',
        pg_catalog.format('alertId %L is no alert', p_alert_id),
        'Take the id from the view runstore.alerts.',
        'alertId',
        p_alert_id::text,
        'the id of an alert'
    );
end
$$;

comment on function runstore.refuse_alert_id(uuid) is 'Raises RS010 for an alert id that is unknown.';

revoke all on function runstore.refuse_alert_id(uuid) from public;

-- Marks an alert as taken on; the first acknowledgement stands. Locks the alert's row. Raises RS010 when the
-- session's login sees no such alert.
create function runstore.ack_alert(p_alert_id uuid)
returns void
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
begin
    update runstore.alert_log as a
    set acknowledged_at = coalesce(a.acknowledged_at, runstore.clock())
    from runstore.alerts as v
    where a.alert_id = p_alert_id and v.alert_id = a.alert_id;

    if not found then
        perform runstore.refuse_alert_id(p_alert_id);
    end if;
end
$$;

comment on function runstore.ack_alert(uuid) is 'Marks an alert as taken on. RS010 when there is no such alert.';

revoke all on function runstore.ack_alert(uuid) from public;
grant execute on function runstore.ack_alert(uuid) to runstore_admin;

-- Closes an alert, acknowledged or not; the first resolution stands, and a later occurrence opens a new alert. Locks
-- the alert's row. Raises RS010 when the session's login sees no such alert.
create function runstore.resolve_alert(p_alert_id uuid)
returns void
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
begin
    update runstore.alert_log as a
    set resolved_at = coalesce(a.resolved_at, runstore.clock())
    from runstore.alerts as v
    where a.alert_id = p_alert_id and v.alert_id = a.alert_id;

    if not found then
        perform runstore.refuse_alert_id(p_alert_id);
    end if;
end
$$;

comment on function runstore.resolve_alert(uuid) is 'Closes an alert. RS010 when there is no such alert.';

revoke all on function runstore.resolve_alert(uuid) from public;
grant execute on function runstore.resolve_alert(uuid) to runstore_admin;
