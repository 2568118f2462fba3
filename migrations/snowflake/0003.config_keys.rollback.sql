-- Takes back 0003.config_keys.
DROP TABLE IF EXISTS CONFIG_KEYS;
