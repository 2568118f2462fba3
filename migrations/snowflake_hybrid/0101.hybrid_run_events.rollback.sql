-- Takes back 0101.hybrid_run_events.

EXECUTE IMMEDIATE
$$
DECLARE
    V_TABLES NUMBER DEFAULT 0;
    V_ROWS NUMBER DEFAULT 0;
    STORE_IN_USE EXCEPTION (-20050, 'the store has events, which would be lost with its tables');
BEGIN
    SELECT COUNT(*)
    INTO :V_TABLES
    FROM INFORMATION_SCHEMA.TABLES AS T
    WHERE T.TABLE_SCHEMA = CURRENT_SCHEMA() AND T.TABLE_NAME = 'RUN_EVENTS';

    IF (V_TABLES > 0) THEN
        SELECT COUNT(*) INTO :V_ROWS FROM RUN_EVENTS;
    END IF;

    IF (V_ROWS > 0) THEN
        RAISE STORE_IN_USE;
    END IF;
END;
$$;

DROP TABLE IF EXISTS RUN_EVENTS;

CREATE TABLE IF NOT EXISTS RUN_EVENTS (
    RUN_ID VARCHAR NOT NULL COMMENT 'The run.',
    RUN_SEQ NUMBER(38, 0) NOT NULL COMMENT 'Position in the run: 1, 2, 3, ... without a gap, in commit order.',
    EVENT_ID VARCHAR NOT NULL COMMENT 'UUID v4 in lower case, unique within the run.',
    EVENT_TYPE VARCHAR NOT NULL COMMENT 'What happened.',
    STEP_ID VARCHAR COMMENT 'The step that the event is about; null when it is about the run.',
    ENGINE_ATTEMPT_ID NUMBER(38, 0) NOT NULL COMMENT 'Attempt counted by the platform, from 1.',
    LOGICAL_ATTEMPT_ID NUMBER(38, 0) NOT NULL COMMENT 'Attempt counted by the business, from 1.',
    TENANT_ID VARCHAR NOT NULL COMMENT 'Tenant of the run.',
    PROJECT_ID VARCHAR NOT NULL COMMENT 'Project of the run.',
    ENVIRONMENT_ID VARCHAR NOT NULL COMMENT 'Environment of the run.',
    PLAN_ID VARCHAR NOT NULL COMMENT 'The plan that the run follows.',
    PLAN_VERSION VARCHAR NOT NULL COMMENT 'The version of that plan.',
    IDEMPOTENCY_KEY VARCHAR NOT NULL COMMENT '64 lower-case hex digits, unique within the run.',
    PAYLOAD VARIANT COMMENT 'What the producer has to say, a JSON object.',
    EMITTED_AT TIMESTAMP_NTZ(6) NOT NULL COMMENT 'The producer''s instant, in UTC.',
    PERSISTED_AT TIMESTAMP_NTZ(6) NOT NULL
    COMMENT 'The store''s instant in UTC, read under the lock; never decreases within a run.',
    ADAPTER_VERSION VARCHAR COMMENT 'Version of the adapter that produced the event.',
    ENGINE_RUN_REF VARIANT COMMENT 'How the engine itself names the run, a JSON object.',
    CAUSED_BY_SIGNAL_ID VARCHAR COMMENT 'The signal that caused the event, a UUID.',
    PARENT_EVENT_ID VARCHAR COMMENT 'The event that led to this one, a UUID.',
    CONSTRAINT RUN_EVENTS_PKEY PRIMARY KEY (RUN_ID, RUN_SEQ),
    CONSTRAINT RUN_EVENTS_IDEMPOTENCY_KEY_KEY UNIQUE (RUN_ID, IDEMPOTENCY_KEY),
    CONSTRAINT RUN_EVENTS_EVENT_ID_KEY UNIQUE (RUN_ID, EVENT_ID)
)
CLUSTER BY (RUN_ID, PERSISTED_AT)
COMMENT = 'The log: one row per event, written once.';

ALTER TABLE RUN_EVENTS ADD SEARCH OPTIMIZATION ON EQUALITY (IDEMPOTENCY_KEY);
