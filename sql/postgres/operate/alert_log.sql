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

create index alert_log_open_by_code on runstore.alert_log (code, run_id) where resolved_at is null;

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
comment on index runstore.alert_log_open_by_code is 'The open alerts of one kind.';
comment on index runstore.alert_log_alert_id is 'Finding an alert by its id alone.';
