-- Takes back 0002.config.
DROP TABLE IF EXISTS CONFIG;
