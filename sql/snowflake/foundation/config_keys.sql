-- The settings that SET_CONFIG_VALUE accepts, with the range of each.
CREATE TABLE IF NOT EXISTS CONFIG_KEYS (
    KEY VARCHAR NOT NULL COMMENT 'Name of the setting: a column of CONFIG in lower case.',
    MIN_VALUE NUMBER(38, 0) NOT NULL COMMENT 'Least accepted value.',
    MAX_VALUE NUMBER(38, 0) NOT NULL COMMENT 'Greatest accepted value.',
    CONSTRAINT CONFIG_KEYS_PKEY PRIMARY KEY (KEY)
)
COMMENT = 'The settings that SET_CONFIG_VALUE accepts.';

MERGE INTO CONFIG_KEYS AS T
USING (
    SELECT
        COLUMN1 AS KEY,
        COLUMN2 AS MIN_VALUE,
        COLUMN3 AS MAX_VALUE
    FROM
        VALUES
        ('max_payload_bytes', 2, 8388608),
        ('max_signal_bytes', 2, 8388608),
        ('max_signals_per_minute', 1, 1000000)
) AS S
    ON T.KEY = S.KEY
WHEN MATCHED THEN UPDATE SET MIN_VALUE = S.MIN_VALUE, MAX_VALUE = S.MAX_VALUE
WHEN NOT MATCHED THEN INSERT (KEY, MIN_VALUE, MAX_VALUE) VALUES (S.KEY, S.MIN_VALUE, S.MAX_VALUE);
