create table runstore.config (
    singleton boolean not null default true,
    max_payload_bytes int not null default 262144,
    max_signal_bytes int not null default 65536,
    max_signals_per_minute int not null default 60,
    any_login_is_bound boolean not null default false,
    projection_mode text collate "C" not null default 'async',
    enforce_transitions boolean not null default false,
    lag_alert_ms int not null default 5000,
    lag_resync_ms int not null default 10000,
    log_is_followed boolean not null default true,
    constraint config_pkey primary key (singleton),
    constraint config_is_one_row check (singleton),
    constraint config_enforcing_is_inline check (projection_mode = 'inline' or not enforce_transitions)
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
comment on column runstore.config.projection_mode is
'async: appends note that a run has work for the projector; inline: appends project the run themselves.';
comment on column runstore.config.enforce_transitions is
'Whether an append is refused when the transitions do not allow its event. Needs inline projection.';
comment on column runstore.config.lag_alert_ms is 'Lag of the projector from which on PROJECTOR_LAG_HIGH is open.';
comment on column runstore.config.lag_resync_ms is 'Lag from which on a run is marked for a resync from its snapshot.';
comment on column runstore.config.log_is_followed is
'Whether any consumer is active, so that an append need not look; kept by set_config_value().';
comment on index runstore.config_pkey is 'Keeps the table at one row.';

insert into runstore.config default values;
