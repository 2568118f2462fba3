-- One row per run: whose it is, and where its log ends. An append moves LAST_SEQ from the value that it planned with,
-- and from no other; that, under the lock, is what makes RUN_SEQ a number without gaps.
CREATE TABLE IF NOT EXISTS RUN_COUNTERS (
    RUN_ID VARCHAR NOT NULL COMMENT 'The run.',
    TENANT_ID VARCHAR NOT NULL COMMENT 'Tenant of the run, fixed by its first event.',
    PROJECT_ID VARCHAR NOT NULL COMMENT 'Project of the run, fixed by its first event.',
    ENVIRONMENT_ID VARCHAR NOT NULL COMMENT 'Environment of the run, fixed by its first event.',
    LAST_SEQ NUMBER(38, 0) NOT NULL COMMENT 'RUN_SEQ of the run''s last event.',
    LAST_PERSISTED_AT TIMESTAMP_NTZ(6) COMMENT 'PERSISTED_AT of the run''s last event.',
    ARCHIVED_AT TIMESTAMP_NTZ(6) COMMENT 'When the run was archived; null while it is in the log.',
    CONSTRAINT RUN_COUNTERS_PKEY PRIMARY KEY (RUN_ID)
)
COMMENT = 'One row per run: whose it is, and where its log ends.';
