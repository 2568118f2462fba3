-- What operators should know: one open alert per run, event and code, counted; after it is resolved a new occurrence
-- opens a new one. LIST_ALERTS reads it.
CREATE TABLE IF NOT EXISTS ALERTS (
    ALERT_ID VARCHAR NOT NULL COMMENT 'UUID of the alert.',
    CODE VARCHAR NOT NULL COMMENT 'What it is about.',
    SEVERITY VARCHAR NOT NULL COMMENT 'P1 (wake somebody) to P3.',
    RUN_ID VARCHAR NOT NULL COMMENT 'The run.',
    TENANT_ID VARCHAR NOT NULL COMMENT 'Tenant of the run.',
    EVENT_ID VARCHAR COMMENT 'The event; null where it is about the run.',
    RUN_SEQ NUMBER(38, 0) COMMENT 'Position in the run.',
    DETAILS VARIANT COMMENT 'What was found, never payload content.',
    RAISED_AT TIMESTAMP_NTZ(6) NOT NULL COMMENT 'First occurrence.',
    LAST_SEEN_AT TIMESTAMP_NTZ(6) NOT NULL COMMENT 'Last occurrence.',
    COUNT NUMBER(38, 0) NOT NULL COMMENT 'How many occurrences.',
    ACKNOWLEDGED_AT TIMESTAMP_NTZ(6) COMMENT 'When somebody took it.',
    RESOLVED_AT TIMESTAMP_NTZ(6) COMMENT 'When it was closed; null while it is open.',
    CONSTRAINT ALERTS_PKEY PRIMARY KEY (ALERT_ID)
)
COMMENT = 'What operators should know: one open alert per run, event and code.';
