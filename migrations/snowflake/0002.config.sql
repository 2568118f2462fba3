-- The store's settings: one typed row, changed with SET_CONFIG_VALUE.
-- depends: 0001.error_codes

CREATE TABLE IF NOT EXISTS CONFIG (
    MAX_PAYLOAD_BYTES NUMBER(38, 0) NOT NULL
    COMMENT 'Largest payload or engine run reference, in octets of its JSON text.',
    MAX_SIGNAL_BYTES NUMBER(38, 0) NOT NULL COMMENT 'Largest payload of a signal event, in octets of its JSON text.',
    MAX_SIGNALS_PER_MINUTE NUMBER(38, 0) NOT NULL COMMENT 'Most signal events that one run takes in any 60 seconds.'
)
COMMENT = 'The store''s settings: one row.';

INSERT INTO CONFIG (MAX_PAYLOAD_BYTES, MAX_SIGNAL_BYTES, MAX_SIGNALS_PER_MINUTE)
SELECT
    262144 AS MAX_PAYLOAD_BYTES,
    65536 AS MAX_SIGNAL_BYTES,
    60 AS MAX_SIGNALS_PER_MINUTE
WHERE NOT EXISTS (SELECT 1 AS FOUND FROM CONFIG);
