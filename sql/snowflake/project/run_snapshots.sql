-- The projection: one row per run, derived from the log and from nothing else. PROJECT_RUNS writes it.
CREATE TABLE IF NOT EXISTS RUN_SNAPSHOTS (
    RUN_ID VARCHAR NOT NULL COMMENT 'The run.',
    TENANT_ID VARCHAR NOT NULL COMMENT 'Tenant of the run.',
    STATUS VARCHAR NOT NULL COMMENT 'State of the run.',
    LAST_EVENT_SEQ NUMBER(38, 0) NOT NULL COMMENT 'RUN_SEQ of the last event in the snapshot.',
    SNAPSHOT_DATA VARIANT NOT NULL COMMENT 'RunSnapshot without stale and projectedAt, which GET_SNAPSHOT adds.',
    RUN_ARTIFACTS VARIANT NOT NULL COMMENT 'Artifacts of RunCompleted, which stand after those of the steps.',
    REFUSALS VARIANT NOT NULL COMMENT 'Events that the transitions refused when the row was last written.',
    BEGUN_AT TIMESTAMP_NTZ(6) COMMENT 'When the run''s first event was stored: what lists are ordered by.',
    STARTED_AT TIMESTAMP_NTZ(6) COMMENT 'When the run started, by its producer.',
    COMPLETED_AT TIMESTAMP_NTZ(6) COMMENT 'When the run ended, by its producer.',
    PROJECTED_AT TIMESTAMP_NTZ(6) NOT NULL COMMENT 'When the snapshot was last written.',
    VERSION NUMBER(38, 0) NOT NULL COMMENT 'How often the snapshot was written, from 0.',
    HALTED_BY VARCHAR COMMENT 'GAP or FAILURE while the run cannot go on; otherwise null.',
    HALTED_AT_SEQ NUMBER(38, 0) COMMENT 'The event that is missing or cannot be folded.',
    NEXT_SEQ NUMBER(38, 0) COMMENT 'The first event behind a gap; null when the log ends in it.',
    FAILURE VARCHAR COMMENT 'Why the fold failed.',
    ATTEMPTS NUMBER(38, 0) NOT NULL COMMENT 'Tries in a row that did not get the run going again.',
    TRIED_AT TIMESTAMP_NTZ(6) NOT NULL COMMENT 'When a projector last had the run.',
    WAS_HALTED BOOLEAN NOT NULL COMMENT 'Whether the run was halted when the last call took it.',
    REPORTED_SEQ NUMBER(38, 0) NOT NULL COMMENT 'Refusals up to this event were reported before a resync.',
    CONSTRAINT RUN_SNAPSHOTS_PKEY PRIMARY KEY (RUN_ID)
)
CLUSTER BY (RUN_ID)
COMMENT = 'The projection: one row per run, derived from the log.';
