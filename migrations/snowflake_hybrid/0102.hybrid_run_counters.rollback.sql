-- Takes back 0102.hybrid_run_counters.

EXECUTE IMMEDIATE
$$
DECLARE
    V_TABLES NUMBER DEFAULT 0;
    V_ROWS NUMBER DEFAULT 0;
    STORE_IN_USE EXCEPTION (-20050, 'the store has runs, which would be lost with its tables');
BEGIN
    SELECT COUNT(*)
    INTO :V_TABLES
    FROM INFORMATION_SCHEMA.TABLES AS T
    WHERE T.TABLE_SCHEMA = CURRENT_SCHEMA() AND T.TABLE_NAME = 'RUN_COUNTERS';

    IF (V_TABLES > 0) THEN
        SELECT COUNT(*) INTO :V_ROWS FROM RUN_COUNTERS;
    END IF;

    IF (V_ROWS > 0) THEN
        RAISE STORE_IN_USE;
    END IF;
END;
$$;

DROP TABLE IF EXISTS RUN_COUNTERS;

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
