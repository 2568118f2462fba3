-- Checks every invariant of one run and answers with a row per finding; none means that the run is sound.
-- depends: 0054.resolve_alert

CREATE OR REPLACE PROCEDURE VERIFY_RUN(P_RUN_ID VARCHAR)
COPY GRANTS
RETURNS TABLE (FINDING VARCHAR, SEVERITY VARCHAR, RUN_SEQ NUMBER(38, 0), DETAILS VARIANT)
LANGUAGE SQL
COMMENT = 'Checks every invariant of one run; a row per finding.'
EXECUTE AS OWNER
AS
$$
DECLARE
    V_STANDS_AT NUMBER DEFAULT 0;
    V_STORED VARIANT DEFAULT NULL;
    V_REPLAYED VARIANT DEFAULT NULL;
    V_DIFFERS NUMBER DEFAULT 0;
BEGIN
    CALL CHECK_RUN(:P_RUN_ID);

    SELECT
        COALESCE(MAX(N.LAST_EVENT_SEQ), 0),
        ANY_VALUE(N.SNAPSHOT_DATA)
    INTO :V_STANDS_AT, :V_STORED
    FROM RUN_SNAPSHOTS AS N
    WHERE N.RUN_ID = :P_RUN_ID;

    IF (V_STANDS_AT > 0) THEN
        CALL REPLAY_SNAPSHOT(:P_RUN_ID, :V_STANDS_AT) INTO :V_REPLAYED;

        SELECT
            ARRAY_SIZE(DIFFERING_FIELDS(
                OBJECT_CONSTRUCT('payload', :V_STORED), OBJECT_CONSTRUCT('payload', :V_REPLAYED)
            ))
        INTO :V_DIFFERS;
    END IF;

    LET V_FINDINGS RESULTSET := (
        WITH PLACED AS (
            SELECT
                E.RUN_SEQ, E.EVENT_ID, E.IDEMPOTENCY_KEY, E.TENANT_ID, E.PROJECT_ID, E.ENVIRONMENT_ID, E.PERSISTED_AT,
                IDEMPOTENCY_KEY(
                    E.RUN_ID, E.STEP_ID, E.LOGICAL_ATTEMPT_ID, E.EVENT_TYPE, E.PLAN_ID, E.PLAN_VERSION
                ) AS COMPUTED_KEY,
                COALESCE(LAG(E.RUN_SEQ) OVER (ORDER BY E.RUN_SEQ), 0) AS SEQ_BEFORE,
                LAG(E.PERSISTED_AT) OVER (ORDER BY E.RUN_SEQ) AS PERSISTED_BEFORE,
                COUNT(*) OVER (PARTITION BY E.IDEMPOTENCY_KEY) AS SAME_KEY,
                COUNT(*) OVER (PARTITION BY E.EVENT_ID) AS SAME_ID
            FROM LOGGED_EVENTS AS E
            WHERE E.RUN_ID = :P_RUN_ID
        ),

        COUNTER AS (
            SELECT
                R.TENANT_ID, R.PROJECT_ID, R.ENVIRONMENT_ID, R.LAST_SEQ, R.LAST_PERSISTED_AT,
                COALESCE(L.LAST_SEQ, 0) AS LOG_SEQ,
                L.LAST_PERSISTED_AT AS LOG_PERSISTED_AT
            FROM RUN_COUNTERS AS R
            CROSS JOIN (
                SELECT
                    MAX(P.RUN_SEQ) AS LAST_SEQ,
                    MAX(P.PERSISTED_AT) AS LAST_PERSISTED_AT
                FROM PLACED AS P
            ) AS L
            WHERE R.RUN_ID = :P_RUN_ID
        ),

        FINDINGS AS (
            SELECT
                'SEQ_MISSING' AS FINDING,
                'ERROR' AS SEVERITY,
                P.SEQ_BEFORE + 1 AS RUN_SEQ,
                OBJECT_CONSTRUCT('lastSeq', P.SEQ_BEFORE, 'nextSeq', P.RUN_SEQ) AS DETAILS
            FROM PLACED AS P
            WHERE P.RUN_SEQ > P.SEQ_BEFORE + 1
            UNION ALL
            SELECT
                'SEQ_MISSING' AS FINDING,
                'ERROR' AS SEVERITY,
                C.LOG_SEQ + 1 AS RUN_SEQ,
                OBJECT_CONSTRUCT('lastSeq', C.LOG_SEQ, 'counter', C.LAST_SEQ) AS DETAILS
            FROM COUNTER AS C
            WHERE C.LOG_SEQ < C.LAST_SEQ
            UNION ALL
            SELECT
                'SEQ_TWICE' AS FINDING,
                'ERROR' AS SEVERITY,
                P.RUN_SEQ,
                OBJECT_CONSTRUCT('eventId', P.EVENT_ID) AS DETAILS
            FROM PLACED AS P
            WHERE P.RUN_SEQ = P.SEQ_BEFORE
            UNION ALL
            SELECT
                'KEY_TWICE' AS FINDING,
                'ERROR' AS SEVERITY,
                P.RUN_SEQ,
                OBJECT_CONSTRUCT('idempotencyKey', P.IDEMPOTENCY_KEY) AS DETAILS
            FROM PLACED AS P
            WHERE P.SAME_KEY > 1
            UNION ALL
            SELECT
                'EVENT_ID_TWICE' AS FINDING,
                'ERROR' AS SEVERITY,
                P.RUN_SEQ,
                OBJECT_CONSTRUCT('eventId', P.EVENT_ID) AS DETAILS
            FROM PLACED AS P
            WHERE P.SAME_ID > 1
            UNION ALL
            SELECT
                CASE
                    WHEN REGEXP_LIKE(P.IDEMPOTENCY_KEY, '[0-9a-f]{64}') THEN 'KEY_SUPPLIED' ELSE 'KEY_MALFORMED'
                END AS FINDING,
                CASE WHEN REGEXP_LIKE(P.IDEMPOTENCY_KEY, '[0-9a-f]{64}') THEN 'INFO' ELSE 'ERROR' END AS SEVERITY,
                P.RUN_SEQ,
                OBJECT_CONSTRUCT('idempotencyKey', P.IDEMPOTENCY_KEY, 'computed', P.COMPUTED_KEY) AS DETAILS
            FROM PLACED AS P
            WHERE P.IDEMPOTENCY_KEY <> P.COMPUTED_KEY
            UNION ALL
            SELECT
                'IDENTITY_DIFFERS' AS FINDING,
                'ERROR' AS SEVERITY,
                P.RUN_SEQ,
                OBJECT_CONSTRUCT() AS DETAILS
            FROM PLACED AS P
            CROSS JOIN COUNTER AS C
            WHERE
                P.TENANT_ID <> C.TENANT_ID OR P.PROJECT_ID <> C.PROJECT_ID OR P.ENVIRONMENT_ID <> C.ENVIRONMENT_ID
            UNION ALL
            SELECT
                'PERSISTED_AT_BACK' AS FINDING,
                'ERROR' AS SEVERITY,
                P.RUN_SEQ,
                OBJECT_CONSTRUCT(
                    'persistedAt', UTC_TEXT(P.PERSISTED_AT), 'before', UTC_TEXT(P.PERSISTED_BEFORE)
                ) AS DETAILS
            FROM PLACED AS P
            WHERE P.PERSISTED_AT < P.PERSISTED_BEFORE
            UNION ALL
            SELECT
                'COUNTER_DIFFERS' AS FINDING,
                'ERROR' AS SEVERITY,
                C.LOG_SEQ AS RUN_SEQ,
                OBJECT_CONSTRUCT(
                    'counter', C.LAST_SEQ, 'log', C.LOG_SEQ, 'counterAt', UTC_TEXT(C.LAST_PERSISTED_AT),
                    'logAt', UTC_TEXT(C.LOG_PERSISTED_AT)
                ) AS DETAILS
            FROM COUNTER AS C
            WHERE
                C.LAST_SEQ < C.LOG_SEQ
                OR C.LAST_SEQ = C.LOG_SEQ AND C.LAST_PERSISTED_AT IS DISTINCT FROM C.LOG_PERSISTED_AT
            UNION ALL
            SELECT
                'SNAPSHOT_AHEAD' AS FINDING,
                'ERROR' AS SEVERITY,
                :V_STANDS_AT AS RUN_SEQ,
                OBJECT_CONSTRUCT('snapshot', :V_STANDS_AT, 'counter', C.LAST_SEQ) AS DETAILS
            FROM COUNTER AS C
            WHERE C.LAST_SEQ < :V_STANDS_AT
            UNION ALL
            SELECT
                'SNAPSHOT_DIFFERS' AS FINDING,
                'ERROR' AS SEVERITY,
                :V_STANDS_AT AS RUN_SEQ,
                OBJECT_CONSTRUCT('hint', 'RESYNC_RUN makes the snapshot anew from the log.') AS DETAILS
            FROM COUNTER AS C
            WHERE :V_DIFFERS > 0
        )

        SELECT
            F.FINDING::VARCHAR AS FINDING,
            F.SEVERITY::VARCHAR AS SEVERITY,
            F.RUN_SEQ::NUMBER(38, 0) AS RUN_SEQ,
            TO_VARIANT(F.DETAILS) AS DETAILS
        FROM FINDINGS AS F
        ORDER BY F.RUN_SEQ, F.FINDING
    );
    RETURN TABLE(V_FINDINGS);
END;
$$;
