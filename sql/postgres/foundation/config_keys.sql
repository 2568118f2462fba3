create table runstore.config_keys (
    key text collate "C" not null,
    min_value bigint,
    max_value bigint,
    choices text[],
    constraint config_keys_pkey primary key (key),
    constraint config_keys_number_or_choice check (
        (min_value is null) = (max_value is null) and (min_value is null) <> (choices is null)
    )
);

comment on table runstore.config_keys is
'The settings that set_config_value() accepts: whole numbers in a range, or one of some choices.';
comment on column runstore.config_keys.key is 'Name of the setting: a column of config.';
comment on column runstore.config_keys.min_value is 'Least accepted value of a number.';
comment on column runstore.config_keys.max_value is 'Greatest accepted value of a number.';
comment on column runstore.config_keys.choices is 'Accepted values, where it is not a number.';
comment on index runstore.config_keys_pkey is 'One row per setting.';

insert into runstore.config_keys (key, min_value, max_value, choices) values
('max_payload_bytes', 2, 67108864, null),
('max_signal_bytes', 2, 67108864, null),
('max_signals_per_minute', 1, 1000000, null),
('projection_mode', null, null, array['async', 'inline']),
('enforce_transitions', null, null, array['true', 'false']),
('lag_alert_ms', 1, 86400000, null),
('lag_resync_ms', 1, 86400000, null);
