-- Appends one event and answers with its place in the run; an event whose (run, idempotency key) is known is answered
-- with the stored one and nothing is written.
-- depends: 0031.store_events

CREATE OR REPLACE PROCEDURE APPEND_EVENT(
    P_RUN_ID VARCHAR,
    P_EVENT_TYPE VARCHAR,
    P_EMITTED_AT TIMESTAMP_TZ,
    P_TENANT_ID VARCHAR,
    P_PROJECT_ID VARCHAR,
    P_ENVIRONMENT_ID VARCHAR,
    P_PLAN_ID VARCHAR,
    P_PLAN_VERSION VARCHAR,
    P_ENGINE_ATTEMPT_ID NUMBER DEFAULT 1,
    P_LOGICAL_ATTEMPT_ID NUMBER DEFAULT 1,
    P_IDEMPOTENCY_KEY VARCHAR DEFAULT NULL,
    P_EVENT_ID VARCHAR DEFAULT NULL,
    P_STEP_ID VARCHAR DEFAULT NULL,
    P_PAYLOAD VARIANT DEFAULT NULL,
    P_ADAPTER_VERSION VARCHAR DEFAULT NULL,
    P_ENGINE_RUN_REF VARIANT DEFAULT NULL,
    P_CAUSED_BY_SIGNAL_ID VARCHAR DEFAULT NULL,
    P_PARENT_EVENT_ID VARCHAR DEFAULT NULL
)
COPY GRANTS
RETURNS TABLE (
    EVENT_ID VARCHAR, RUN_SEQ NUMBER(38, 0), PERSISTED_AT TIMESTAMP_NTZ(6), IDEMPOTENT BOOLEAN, PERSISTED BOOLEAN
)
LANGUAGE SQL
COMMENT = 'Appends one event, or answers with the stored one when its (run, idempotency key) is known.'
EXECUTE AS OWNER
AS
$$
DECLARE
    V_EVENTS VARIANT DEFAULT NULL;
    V_PLAN VARIANT DEFAULT NULL;
BEGIN
    SELECT
        ARRAY_CONSTRUCT(OBJECT_CONSTRUCT(
            'runId', :P_RUN_ID,
            'eventType', :P_EVENT_TYPE,
            'emittedAt', UTC_TEXT(CONVERT_TIMEZONE('UTC', :P_EMITTED_AT)::TIMESTAMP_NTZ(6)),
            'tenantId', :P_TENANT_ID,
            'projectId', :P_PROJECT_ID,
            'environmentId', :P_ENVIRONMENT_ID,
            'planId', :P_PLAN_ID,
            'planVersion', :P_PLAN_VERSION,
            'engineAttemptId', :P_ENGINE_ATTEMPT_ID,
            'logicalAttemptId', :P_LOGICAL_ATTEMPT_ID,
            'idempotencyKey', :P_IDEMPOTENCY_KEY,
            'eventId', :P_EVENT_ID,
            'stepId', :P_STEP_ID,
            'payload', :P_PAYLOAD,
            'adapterVersion', :P_ADAPTER_VERSION,
            'engineRunRef', :P_ENGINE_RUN_REF,
            'causedBySignalId', :P_CAUSED_BY_SIGNAL_ID,
            'parentEventId', :P_PARENT_EVENT_ID
        ))
    INTO :V_EVENTS;

    CALL STORE_EVENTS(:V_EVENTS, FALSE) INTO :V_PLAN;

    LET V_ANSWER RESULTSET := (
        SELECT
            A.VALUE:eventId::VARCHAR AS EVENT_ID,
            A.VALUE:runSeq::NUMBER(38, 0) AS RUN_SEQ,
            UTC_INSTANT(A.VALUE:persistedAt::VARCHAR)::TIMESTAMP_NTZ(6) AS PERSISTED_AT,
            NOT A.VALUE:isNew::BOOLEAN AS IDEMPOTENT,
            A.VALUE:isNew::BOOLEAN AS PERSISTED
        FROM TABLE(FLATTEN(INPUT => :V_PLAN)) AS A
    );
    RETURN TABLE(V_ANSWER);
END;
$$;
