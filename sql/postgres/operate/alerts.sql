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
