-- A page of one run's events after a watermark, in RUN_SEQ order, from the log or from the archive; empty for a run
-- that is unknown, or not the tenant's that the session's login is bound to. A reader that has seen n has seen
-- everything below n. Null arguments mean their defaults; RS010 for a negative watermark or a limit outside 1 to 10000.
-- One SELECT; locks nothing, never waits.
CREATE OR REPLACE PROCEDURE FETCH_EVENTS(P_RUN_ID VARCHAR, P_AFTER_SEQ NUMBER DEFAULT 0, P_LIMIT NUMBER DEFAULT 1000)
COPY GRANTS
RETURNS TABLE (
    RUN_ID VARCHAR,
    RUN_SEQ NUMBER(38, 0),
    EVENT_ID VARCHAR,
    EVENT_TYPE VARCHAR,
    STEP_ID VARCHAR,
    ENGINE_ATTEMPT_ID NUMBER(38, 0),
    LOGICAL_ATTEMPT_ID NUMBER(38, 0),
    TENANT_ID VARCHAR,
    PROJECT_ID VARCHAR,
    ENVIRONMENT_ID VARCHAR,
    PLAN_ID VARCHAR,
    PLAN_VERSION VARCHAR,
    IDEMPOTENCY_KEY VARCHAR,
    PAYLOAD VARIANT,
    EMITTED_AT TIMESTAMP_NTZ(6),
    PERSISTED_AT TIMESTAMP_NTZ(6),
    ADAPTER_VERSION VARCHAR,
    ENGINE_RUN_REF VARIANT,
    CAUSED_BY_SIGNAL_ID VARCHAR,
    PARENT_EVENT_ID VARCHAR
)
LANGUAGE SQL
COMMENT = 'One run''s events with RUN_SEQ greater than P_AFTER_SEQ, in order, at most P_LIMIT (1 to 10000).'
EXECUTE AS OWNER
AS
$$
DECLARE
    V_AFTER_SEQ NUMBER DEFAULT COALESCE(P_AFTER_SEQ, 0);
    V_LIMIT NUMBER DEFAULT COALESCE(P_LIMIT, 1000);
    V_SHOWN VARCHAR DEFAULT NULL;
    V_MESSAGE VARCHAR DEFAULT NULL;
BEGIN
    IF (V_AFTER_SEQ < 0) THEN
        V_SHOWN := V_AFTER_SEQ::VARCHAR;
        V_MESSAGE := 'afterSeq ' || V_SHOWN || ' is refused: expected a watermark from 0';
        CALL RAISE_ERROR(
            'RS010', :V_MESSAGE, 'Send the greatest run_seq that you have seen, or 0 to start at the beginning.',
            'afterSeq', :V_SHOWN, 'a whole number from 0'
        );
    END IF;

    IF (V_LIMIT < 1 OR V_LIMIT > 10000) THEN
        V_SHOWN := V_LIMIT::VARCHAR;
        V_MESSAGE := 'limit ' || V_SHOWN || ' is refused: expected 1 to 10000';
        CALL RAISE_ERROR(
            'RS010', :V_MESSAGE, 'Ask for at most 10000 events at a time, and go on from the last run_seq.', 'limit',
            :V_SHOWN, 'a whole number from 1 to 10000'
        );
    END IF;

    LET V_PAGE RESULTSET := (
        SELECT
            E.RUN_ID::VARCHAR AS RUN_ID,
            E.RUN_SEQ::NUMBER(38, 0) AS RUN_SEQ,
            E.EVENT_ID::VARCHAR AS EVENT_ID,
            E.EVENT_TYPE::VARCHAR AS EVENT_TYPE,
            E.STEP_ID::VARCHAR AS STEP_ID,
            E.ENGINE_ATTEMPT_ID::NUMBER(38, 0) AS ENGINE_ATTEMPT_ID,
            E.LOGICAL_ATTEMPT_ID::NUMBER(38, 0) AS LOGICAL_ATTEMPT_ID,
            E.TENANT_ID::VARCHAR AS TENANT_ID,
            E.PROJECT_ID::VARCHAR AS PROJECT_ID,
            E.ENVIRONMENT_ID::VARCHAR AS ENVIRONMENT_ID,
            E.PLAN_ID::VARCHAR AS PLAN_ID,
            E.PLAN_VERSION::VARCHAR AS PLAN_VERSION,
            E.IDEMPOTENCY_KEY::VARCHAR AS IDEMPOTENCY_KEY,
            TO_VARIANT(E.PAYLOAD) AS PAYLOAD,
            E.EMITTED_AT::TIMESTAMP_NTZ(6) AS EMITTED_AT,
            E.PERSISTED_AT::TIMESTAMP_NTZ(6) AS PERSISTED_AT,
            E.ADAPTER_VERSION::VARCHAR AS ADAPTER_VERSION,
            TO_VARIANT(E.ENGINE_RUN_REF) AS ENGINE_RUN_REF,
            E.CAUSED_BY_SIGNAL_ID::VARCHAR AS CAUSED_BY_SIGNAL_ID,
            E.PARENT_EVENT_ID::VARCHAR AS PARENT_EVENT_ID
        FROM LOGGED_EVENTS AS E
        WHERE
            E.RUN_ID = :P_RUN_ID
            AND E.RUN_SEQ > :V_AFTER_SEQ
            AND E.RUN_ID IN (SELECT R.RUN_ID FROM VISIBLE_RUNS AS R WHERE R.RUN_ID = :P_RUN_ID)
        QUALIFY ROW_NUMBER() OVER (ORDER BY E.RUN_SEQ) <= :V_LIMIT
        ORDER BY E.RUN_SEQ
    );
    RETURN TABLE(V_PAGE);
END;
$$;
