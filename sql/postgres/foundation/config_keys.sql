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
