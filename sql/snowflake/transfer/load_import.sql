-- Reads the files of an import into IMPORT_CHECKED, each row with its types and with the fault that CHECK_EVENTS finds
-- in it: the same rules as for an append. The time of the store is read by the same rules, as that of a second event.
-- Part of the caller's transaction; locks IMPORT_ROWS and IMPORT_CHECKED. Four statements for CSV, six for Parquet;
-- linear in the number of rows.
CREATE OR REPLACE PROCEDURE LOAD_IMPORT(P_FORMAT VARCHAR)
COPY GRANTS
RETURNS BOOLEAN
LANGUAGE SQL
COMMENT = 'Reads the files of an import into IMPORT_CHECKED.'
EXECUTE AS OWNER
AS
$$
BEGIN
    DELETE FROM IMPORT_ROWS;
    DELETE FROM IMPORT_CHECKED;

    IF (P_FORMAT = 'CSV') THEN
        COPY INTO IMPORT_ROWS
        FROM @IMPORT_STAGE/csv
        FILE_FORMAT = (
            TYPE = CSV
            SKIP_HEADER = 1
            FIELD_OPTIONALLY_ENCLOSED_BY = '"'
            ESCAPE_UNENCLOSED_FIELD = NONE
            NULL_IF = ('')
        )
        FORCE = TRUE;
    ELSE
        DELETE FROM IMPORT_RECORDS;

        COPY INTO IMPORT_RECORDS
        FROM @IMPORT_STAGE/parquet
        FILE_FORMAT = (TYPE = PARQUET)
        FORCE = TRUE;

        INSERT INTO IMPORT_ROWS (
            RUN_ID, RUN_SEQ, EVENT_ID, EVENT_TYPE, STEP_ID, ENGINE_ATTEMPT_ID, LOGICAL_ATTEMPT_ID, TENANT_ID,
            PROJECT_ID, ENVIRONMENT_ID, PLAN_ID, PLAN_VERSION, IDEMPOTENCY_KEY, PAYLOAD, EMITTED_AT, PERSISTED_AT,
            ADAPTER_VERSION, ENGINE_RUN_REF, CAUSED_BY_SIGNAL_ID, PARENT_EVENT_ID
        )
        SELECT
            R.RECORD:run_id::VARCHAR,
            R.RECORD:run_seq::VARCHAR,
            R.RECORD:event_id::VARCHAR,
            R.RECORD:event_type::VARCHAR,
            R.RECORD:step_id::VARCHAR,
            R.RECORD:engine_attempt_id::VARCHAR,
            R.RECORD:logical_attempt_id::VARCHAR,
            R.RECORD:tenant_id::VARCHAR,
            R.RECORD:project_id::VARCHAR,
            R.RECORD:environment_id::VARCHAR,
            R.RECORD:plan_id::VARCHAR,
            R.RECORD:plan_version::VARCHAR,
            R.RECORD:idempotency_key::VARCHAR,
            R.RECORD:payload::VARCHAR,
            CASE TYPEOF(R.RECORD:emitted_at)
                WHEN 'VARCHAR' THEN R.RECORD:emitted_at::VARCHAR
                ELSE UTC_TEXT(R.RECORD:emitted_at::TIMESTAMP_NTZ(6))
            END,
            CASE TYPEOF(R.RECORD:persisted_at)
                WHEN 'VARCHAR' THEN R.RECORD:persisted_at::VARCHAR
                ELSE UTC_TEXT(R.RECORD:persisted_at::TIMESTAMP_NTZ(6))
            END,
            R.RECORD:adapter_version::VARCHAR,
            R.RECORD:engine_run_ref::VARCHAR,
            R.RECORD:caused_by_signal_id::VARCHAR,
            R.RECORD:parent_event_id::VARCHAR
        FROM IMPORT_RECORDS AS R;
    END IF;

    INSERT INTO IMPORT_CHECKED (
        RUN_ID, RUN_SEQ, EVENT_ID, EVENT_TYPE, STEP_ID, ENGINE_ATTEMPT_ID, LOGICAL_ATTEMPT_ID, TENANT_ID,
        PROJECT_ID, ENVIRONMENT_ID, PLAN_ID, PLAN_VERSION, IDEMPOTENCY_KEY, PAYLOAD, EMITTED_AT, PERSISTED_AT,
        ADAPTER_VERSION, ENGINE_RUN_REF, CAUSED_BY_SIGNAL_ID, PARENT_EVENT_ID, FAULT
    )
    SELECT
        C.RUN_ID,
        C.RUN_SEQ,
        C.CHECKED:events[0]:eventId::VARCHAR,
        C.CHECKED:events[0]:eventType::VARCHAR,
        C.CHECKED:events[0]:stepId::VARCHAR,
        C.CHECKED:events[0]:engineAttemptId::NUMBER(38, 0),
        C.CHECKED:events[0]:logicalAttemptId::NUMBER(38, 0),
        C.CHECKED:events[0]:tenantId::VARCHAR,
        C.CHECKED:events[0]:projectId::VARCHAR,
        C.CHECKED:events[0]:environmentId::VARCHAR,
        C.CHECKED:events[0]:planId::VARCHAR,
        C.CHECKED:events[0]:planVersion::VARCHAR,
        C.CHECKED:events[0]:idempotencyKey::VARCHAR,
        C.PAYLOAD,
        UTC_INSTANT(C.CHECKED:events[0]:emittedAt::VARCHAR),
        UTC_INSTANT(C.CHECKED:events[1]:emittedAt::VARCHAR),
        C.CHECKED:events[0]:adapterVersion::VARCHAR,
        C.ENGINE_RUN_REF,
        C.CHECKED:events[0]:causedBySignalId::VARCHAR,
        C.CHECKED:events[0]:parentEventId::VARCHAR,
        CASE
            WHEN C.CHECKED:fault:index::NUMBER(38, 0) = 1
                THEN OBJECT_CONSTRUCT(
                    'code', 'RS001', 'field', 'persistedAt', 'value', C.PERSISTED_AT,
                    'expected', C.CHECKED:fault:expected
                )
            ELSE C.CHECKED:fault
        END
    FROM (
        SELECT
            I.RUN_ID,
            TRY_TO_NUMBER(I.RUN_SEQ) AS RUN_SEQ,
            I.PERSISTED_AT,
            STRIP_NULL_VALUE(TRY_PARSE_JSON(I.PAYLOAD)) AS PAYLOAD,
            STRIP_NULL_VALUE(TRY_PARSE_JSON(I.ENGINE_RUN_REF)) AS ENGINE_RUN_REF,
            CHECK_EVENTS(
                ARRAY_CONSTRUCT(
                    OBJECT_CONSTRUCT(
                        'runId', I.RUN_ID,
                        'eventType', I.EVENT_TYPE,
                        'emittedAt', RFC_TEXT(I.EMITTED_AT),
                        'tenantId', I.TENANT_ID,
                        'projectId', I.PROJECT_ID,
                        'environmentId', I.ENVIRONMENT_ID,
                        'planId', I.PLAN_ID,
                        'planVersion', I.PLAN_VERSION,
                        'engineAttemptId', COALESCE(
                            TRY_PARSE_JSON(I.ENGINE_ATTEMPT_ID), TO_VARIANT(COALESCE(I.ENGINE_ATTEMPT_ID, ''))
                        ),
                        'logicalAttemptId', COALESCE(
                            TRY_PARSE_JSON(I.LOGICAL_ATTEMPT_ID), TO_VARIANT(COALESCE(I.LOGICAL_ATTEMPT_ID, ''))
                        ),
                        'idempotencyKey', COALESCE(I.IDEMPOTENCY_KEY, ''),
                        'eventId', COALESCE(I.EVENT_ID, ''),
                        'stepId', I.STEP_ID,
                        'payload', COALESCE(TRY_PARSE_JSON(I.PAYLOAD), TO_VARIANT(I.PAYLOAD)),
                        'adapterVersion', I.ADAPTER_VERSION,
                        'engineRunRef', COALESCE(TRY_PARSE_JSON(I.ENGINE_RUN_REF), TO_VARIANT(I.ENGINE_RUN_REF)),
                        'causedBySignalId', I.CAUSED_BY_SIGNAL_ID,
                        'parentEventId', I.PARENT_EVENT_ID
                    ),
                    OBJECT_CONSTRUCT(
                        'runId', 'run',
                        'eventType', 'TimeOfTheStore',
                        'emittedAt', RFC_TEXT(I.PERSISTED_AT),
                        'tenantId', 'tenant',
                        'projectId', 'project',
                        'environmentId', 'environment',
                        'planId', 'plan',
                        'planVersion', '1'
                    )
                ),
                OBJECT_CONSTRUCT(
                    'maxPayloadBytes', S.MAX_PAYLOAD_BYTES, 'maxSignalBytes', S.MAX_SIGNAL_BYTES
                )
            ) AS CHECKED
        FROM IMPORT_ROWS AS I
        CROSS JOIN CONFIG AS S
    ) AS C;

    RETURN TRUE;
END;
$$;
