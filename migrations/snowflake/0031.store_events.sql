-- The one road into the log: stores an array of events, any number of runs, all or nothing, and answers with one
-- element per event, in input order.
-- depends: 0030.alert_conflicts

CREATE OR REPLACE PROCEDURE STORE_EVENTS(P_EVENTS VARIANT, P_IS_BATCH BOOLEAN)
COPY GRANTS
RETURNS VARIANT
LANGUAGE SQL
COMMENT = 'Stores an array of events, all or nothing; one answer per event, in input order.'
EXECUTE AS OWNER
AS
$$
DECLARE
    V_EVENTS VARIANT DEFAULT NULL;
    V_FAULT VARIANT DEFAULT NULL;
    V_SIZE NUMBER DEFAULT 0;
    V_PLAN VARIANT DEFAULT NULL;
    V_REFUSED_AT NUMBER DEFAULT NULL;
    V_NEW_EVENTS NUMBER DEFAULT 0;
    V_NEW_RUNS NUMBER DEFAULT 0;
    V_CONFLICTS NUMBER DEFAULT 0;
    V_MOVED_RUNS NUMBER DEFAULT 0;
    V_STORED_EVENTS NUMBER DEFAULT 0;
BEGIN
    SELECT
        R.CHECKED:events,
        R.CHECKED:fault,
        ARRAY_SIZE(R.CHECKED:events)
    INTO :V_EVENTS, :V_FAULT, :V_SIZE
    FROM (
        SELECT
            CHECK_EVENTS(
                :P_EVENTS,
                OBJECT_CONSTRUCT(
                    'maxPayloadBytes', MAX(C.MAX_PAYLOAD_BYTES), 'maxSignalBytes', MAX(C.MAX_SIGNAL_BYTES)
                )
            ) AS CHECKED
        FROM CONFIG AS C
    ) AS R;

    IF (V_SIZE = 0) THEN
        IF (V_FAULT IS NOT NULL) THEN
            CALL REFUSE_EVENT(:V_FAULT, :P_IS_BATCH);
        END IF;

        RETURN V_EVENTS;
    END IF;

    BEGIN
        BEGIN TRANSACTION;

        CALL LOCK_RUNS(:V_EVENTS);

        SELECT
            ARRAY_AGG(
                OBJECT_CONSTRUCT(
                    'index', P.IDX,
                    'firstIndex', P.FIRST_IDX,
                    'runId', P.RUN_ID,
                    'tenantId', P.TENANT_ID,
                    'projectId', P.PROJECT_ID,
                    'environmentId', P.ENVIRONMENT_ID,
                    'idempotencyKey', P.IDEMPOTENCY_KEY,
                    'eventId', COALESCE(P.KNOWN_ID, P.SENT_ID, UUID_STRING()),
                    'sentId', P.SENT_ID,
                    'runSeq', COALESCE(P.KNOWN_SEQ, P.SEEN_SEQ + P.NTH),
                    'persistedAt', UTC_TEXT(COALESCE(P.KNOWN_AT, P.STAMP)),
                    'seenSeq', P.SEEN_SEQ,
                    'isNew', P.IS_NEW,
                    'differs', P.DIFFERS,
                    'refusal', P.REFUSAL,
                    'waitMs', P.WAIT_MS,
                    'maxSignals', P.MAX_SIGNALS
                )
            ) WITHIN GROUP (ORDER BY P.IDX),
            MIN(CASE WHEN P.REFUSAL IS NOT NULL THEN P.IDX END),
            COUNT_IF(P.IS_NEW),
            COUNT(DISTINCT CASE WHEN P.IS_NEW THEN P.RUN_ID END),
            COUNT_IF(ARRAY_SIZE(P.DIFFERS) > 0)
        INTO :V_PLAN, :V_REFUSED_AT, :V_NEW_EVENTS, :V_NEW_RUNS, :V_CONFLICTS
        FROM (
            WITH SENT AS (
                SELECT
                    E.INDEX AS IDX,
                    E.VALUE:runId::VARCHAR AS RUN_ID,
                    E.VALUE:tenantId::VARCHAR AS TENANT_ID,
                    E.VALUE:projectId::VARCHAR AS PROJECT_ID,
                    E.VALUE:environmentId::VARCHAR AS ENVIRONMENT_ID,
                    E.VALUE:eventId::VARCHAR AS SENT_ID,
                    E.VALUE:isSignal::BOOLEAN AS IS_SIGNAL,
                    COALESCE(
                        E.VALUE:idempotencyKey::VARCHAR,
                        IDEMPOTENCY_KEY(
                            E.VALUE:runId::VARCHAR,
                            E.VALUE:stepId::VARCHAR,
                            E.VALUE:logicalAttemptId::NUMBER(38, 0),
                            E.VALUE:eventType::VARCHAR,
                            E.VALUE:planId::VARCHAR,
                            E.VALUE:planVersion::VARCHAR
                        )
                    ) AS IDEMPOTENCY_KEY,
                    OBJECT_CONSTRUCT(
                        'eventType', E.VALUE:eventType,
                        'stepId', E.VALUE:stepId,
                        'payload', O.VALUE:payload,
                        'causedBySignalId', E.VALUE:causedBySignalId
                    ) AS CONTENT
                FROM TABLE(FLATTEN(INPUT => :V_EVENTS)) AS E
                INNER JOIN TABLE(FLATTEN(INPUT => :P_EVENTS)) AS O ON E.INDEX = O.INDEX
            ),

            NOW AS (
                SELECT
                    CLOCK() AS NOW,
                    MAX(C.MAX_SIGNALS_PER_MINUTE) AS MAX_SIGNALS,
                    (SELECT COUNT(*) FROM SESSION_TENANTS) AS BOUND_TENANTS
                FROM CONFIG AS C
            ),

            KNOWN AS (
                SELECT
                    L.RUN_ID,
                    L.IDEMPOTENCY_KEY,
                    L.EVENT_ID,
                    L.RUN_SEQ,
                    L.PERSISTED_AT,
                    OBJECT_CONSTRUCT(
                        'eventType', L.EVENT_TYPE,
                        'stepId', L.STEP_ID,
                        'payload', L.PAYLOAD,
                        'causedBySignalId', L.CAUSED_BY_SIGNAL_ID
                    ) AS CONTENT
                FROM LOGGED_EVENTS AS L
                WHERE
                    L.RUN_ID IN (SELECT S.RUN_ID FROM SENT AS S)
                    AND L.IDEMPOTENCY_KEY IN (SELECT S.IDEMPOTENCY_KEY FROM SENT AS S)
                QUALIFY ROW_NUMBER() OVER (PARTITION BY L.RUN_ID, L.IDEMPOTENCY_KEY ORDER BY L.RUN_SEQ) = 1
            ),

            TAKEN AS (
                SELECT DISTINCT
                    L.RUN_ID,
                    L.EVENT_ID
                FROM LOGGED_EVENTS AS L
                WHERE
                    L.RUN_ID IN (SELECT S.RUN_ID FROM SENT AS S)
                    AND L.EVENT_ID IN (SELECT S.SENT_ID FROM SENT AS S)
            ),

            RECENT_SIGNALS AS (
                SELECT
                    L.RUN_ID,
                    L.PERSISTED_AT,
                    ROW_NUMBER() OVER (PARTITION BY L.RUN_ID ORDER BY L.PERSISTED_AT DESC) AS NTH
                FROM RUN_EVENTS AS L
                WHERE
                    L.RUN_ID IN (SELECT S.RUN_ID FROM SENT AS S WHERE S.IS_SIGNAL)
                    AND L.EVENT_TYPE IN ('SignalAccepted', 'SignalRejected')
            ),

            JUDGED AS (
                SELECT
                    S.IDX, S.RUN_ID, S.TENANT_ID, S.PROJECT_ID, S.ENVIRONMENT_ID, S.SENT_ID, S.IS_SIGNAL,
                    S.IDEMPOTENCY_KEY, S.CONTENT, N.NOW, N.MAX_SIGNALS, R.ARCHIVED_AT,
                    K.EVENT_ID AS KNOWN_ID,
                    K.RUN_SEQ AS KNOWN_SEQ,
                    K.PERSISTED_AT AS KNOWN_AT,
                    K.CONTENT AS KNOWN_CONTENT,
                    COALESCE(R.LAST_SEQ, 0) AS SEEN_SEQ,
                    GREATEST(N.NOW, COALESCE(R.LAST_PERSISTED_AT, N.NOW)) AS STAMP,
                    T.EVENT_ID IS NOT NULL AS ID_IS_TAKEN,
                    N.BOUND_TENANTS > 0 AND B.TENANT_ID IS NULL AS TENANT_IS_FOREIGN,
                    S.TENANT_ID <> COALESCE(R.TENANT_ID, FIRST_VALUE(S.TENANT_ID) OVER (
                        PARTITION BY S.RUN_ID ORDER BY S.IDX
                    ))
                    OR S.PROJECT_ID <> COALESCE(R.PROJECT_ID, FIRST_VALUE(S.PROJECT_ID) OVER (
                        PARTITION BY S.RUN_ID ORDER BY S.IDX
                    ))
                    OR S.ENVIRONMENT_ID <> COALESCE(R.ENVIRONMENT_ID, FIRST_VALUE(S.ENVIRONMENT_ID) OVER (
                        PARTITION BY S.RUN_ID ORDER BY S.IDX
                    )) AS IDENTITY_DIFFERS,
                    FIRST_VALUE(S.IDX) OVER (
                        PARTITION BY S.RUN_ID, S.IDEMPOTENCY_KEY ORDER BY S.IDX
                    ) AS FIRST_IDX,
                    K.RUN_SEQ IS NULL AND ROW_NUMBER() OVER (
                        PARTITION BY S.RUN_ID, S.IDEMPOTENCY_KEY ORDER BY S.IDX
                    ) = 1 AS IS_NEW
                FROM SENT AS S
                CROSS JOIN NOW AS N
                LEFT JOIN RUN_COUNTERS AS R ON S.RUN_ID = R.RUN_ID
                LEFT JOIN KNOWN AS K ON S.RUN_ID = K.RUN_ID AND S.IDEMPOTENCY_KEY = K.IDEMPOTENCY_KEY
                LEFT JOIN TAKEN AS T ON S.RUN_ID = T.RUN_ID AND S.SENT_ID = T.EVENT_ID
                LEFT JOIN SESSION_TENANTS AS B ON S.TENANT_ID = B.TENANT_ID
            ),

            PLACED AS (
                SELECT
                    J.*,
                    COUNT_IF(J.IS_NEW) OVER (
                        PARTITION BY J.RUN_ID ORDER BY J.IDX ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
                    ) AS NTH,
                    COUNT_IF(J.IS_NEW AND J.IS_SIGNAL) OVER (
                        PARTITION BY J.RUN_ID ORDER BY J.IDX ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
                    ) AS NTH_SIGNAL,
                    J.ID_IS_TAKEN OR J.SENT_ID IS NOT NULL AND ROW_NUMBER() OVER (
                        PARTITION BY J.RUN_ID, J.IS_NEW, J.SENT_ID ORDER BY J.IDX
                    ) > 1 AS ID_IS_REUSED
                FROM JUDGED AS J
            ),

            TIMED AS (
                SELECT
                    W.*,
                    F.CONTENT AS FIRST_CONTENT,
                    CASE
                        WHEN NOT W.IS_SIGNAL OR NOT W.IS_NEW THEN NULL
                        WHEN W.NTH_SIGNAL > W.MAX_SIGNALS THEN 60000
                        WHEN G.PERSISTED_AT > DATEADD('second', -60, W.STAMP)
                            THEN GREATEST(1, CEIL(
                                DATEDIFF('microsecond', W.NOW, DATEADD('second', 60, G.PERSISTED_AT)) / 1000
                            ))
                    END AS WAIT_MS
                FROM PLACED AS W
                INNER JOIN SENT AS F ON W.FIRST_IDX = F.IDX
                LEFT JOIN RECENT_SIGNALS AS G
                    ON W.RUN_ID = G.RUN_ID AND W.MAX_SIGNALS - W.NTH_SIGNAL + 1 = G.NTH
            )

            SELECT
                T.*,
                CASE
                    WHEN NOT T.IS_NEW
                        THEN DIFFERING_FIELDS(COALESCE(T.KNOWN_CONTENT, T.FIRST_CONTENT), T.CONTENT)
                END AS DIFFERS,
                CASE
                    WHEN T.TENANT_IS_FOREIGN THEN 'RS013'
                    WHEN T.IDENTITY_DIFFERS THEN 'RS002'
                    WHEN NOT T.IS_NEW THEN NULL
                    WHEN T.ARCHIVED_AT IS NOT NULL THEN 'RS008'
                    WHEN T.ID_IS_REUSED THEN 'RS003'
                    WHEN T.WAIT_MS > 0 THEN 'RS006'
                END AS REFUSAL
            FROM TIMED AS T
        ) AS P;

        IF (V_REFUSED_AT IS NOT NULL) THEN
            CALL REFUSE_PLANNED(:V_PLAN, :V_REFUSED_AT, :P_IS_BATCH);
        END IF;

        IF (V_FAULT IS NOT NULL) THEN
            CALL REFUSE_EVENT(:V_FAULT, :P_IS_BATCH);
        END IF;

        IF (V_NEW_EVENTS > 0) THEN
            MERGE INTO RUN_COUNTERS AS T
            USING (
                SELECT
                    A.VALUE:runId::VARCHAR AS RUN_ID,
                    MIN(A.VALUE:tenantId::VARCHAR) AS TENANT_ID,
                    MIN(A.VALUE:projectId::VARCHAR) AS PROJECT_ID,
                    MIN(A.VALUE:environmentId::VARCHAR) AS ENVIRONMENT_ID,
                    MIN(A.VALUE:seenSeq::NUMBER(38, 0)) AS SEEN_SEQ,
                    MAX(A.VALUE:runSeq::NUMBER(38, 0)) AS LAST_SEQ,
                    MAX(UTC_INSTANT(A.VALUE:persistedAt::VARCHAR)) AS LAST_PERSISTED_AT
                FROM TABLE(FLATTEN(INPUT => :V_PLAN)) AS A
                WHERE A.VALUE:isNew::BOOLEAN
                GROUP BY A.VALUE:runId::VARCHAR
            ) AS S
            ON T.RUN_ID = S.RUN_ID
            WHEN MATCHED AND T.LAST_SEQ = S.SEEN_SEQ AND T.ARCHIVED_AT IS NULL THEN
                UPDATE SET LAST_SEQ = S.LAST_SEQ, LAST_PERSISTED_AT = S.LAST_PERSISTED_AT
            WHEN NOT MATCHED THEN
                INSERT (RUN_ID, TENANT_ID, PROJECT_ID, ENVIRONMENT_ID, LAST_SEQ, LAST_PERSISTED_AT)
                VALUES (
                    S.RUN_ID, S.TENANT_ID, S.PROJECT_ID, S.ENVIRONMENT_ID, S.LAST_SEQ, S.LAST_PERSISTED_AT
                );
            V_MOVED_RUNS := SQLROWCOUNT;

            IF (COALESCE(V_MOVED_RUNS, -1) <> V_NEW_RUNS) THEN
                CALL REFUSE_RACE();
            END IF;

            MERGE INTO RUN_EVENTS AS T
            USING (
                SELECT
                    E.VALUE:runId::VARCHAR AS RUN_ID,
                    A.VALUE:runSeq::NUMBER(38, 0) AS RUN_SEQ,
                    A.VALUE:eventId::VARCHAR AS EVENT_ID,
                    E.VALUE:eventType::VARCHAR AS EVENT_TYPE,
                    E.VALUE:stepId::VARCHAR AS STEP_ID,
                    E.VALUE:engineAttemptId::NUMBER(38, 0) AS ENGINE_ATTEMPT_ID,
                    E.VALUE:logicalAttemptId::NUMBER(38, 0) AS LOGICAL_ATTEMPT_ID,
                    E.VALUE:tenantId::VARCHAR AS TENANT_ID,
                    E.VALUE:projectId::VARCHAR AS PROJECT_ID,
                    E.VALUE:environmentId::VARCHAR AS ENVIRONMENT_ID,
                    E.VALUE:planId::VARCHAR AS PLAN_ID,
                    E.VALUE:planVersion::VARCHAR AS PLAN_VERSION,
                    A.VALUE:idempotencyKey::VARCHAR AS IDEMPOTENCY_KEY,
                    STRIP_NULL_VALUE(O.VALUE:payload) AS PAYLOAD,
                    UTC_INSTANT(E.VALUE:emittedAt::VARCHAR) AS EMITTED_AT,
                    UTC_INSTANT(A.VALUE:persistedAt::VARCHAR) AS PERSISTED_AT,
                    E.VALUE:adapterVersion::VARCHAR AS ADAPTER_VERSION,
                    STRIP_NULL_VALUE(O.VALUE:engineRunRef) AS ENGINE_RUN_REF,
                    E.VALUE:causedBySignalId::VARCHAR AS CAUSED_BY_SIGNAL_ID,
                    E.VALUE:parentEventId::VARCHAR AS PARENT_EVENT_ID
                FROM TABLE(FLATTEN(INPUT => :V_PLAN)) AS A
                INNER JOIN TABLE(FLATTEN(INPUT => :V_EVENTS)) AS E ON A.INDEX = E.INDEX
                INNER JOIN TABLE(FLATTEN(INPUT => :P_EVENTS)) AS O ON A.INDEX = O.INDEX
                WHERE A.VALUE:isNew::BOOLEAN
            ) AS S
            ON T.RUN_ID = S.RUN_ID AND T.IDEMPOTENCY_KEY = S.IDEMPOTENCY_KEY
            WHEN NOT MATCHED THEN
                INSERT (
                    RUN_ID, RUN_SEQ, EVENT_ID, EVENT_TYPE, STEP_ID, ENGINE_ATTEMPT_ID, LOGICAL_ATTEMPT_ID,
                    TENANT_ID, PROJECT_ID, ENVIRONMENT_ID, PLAN_ID, PLAN_VERSION, IDEMPOTENCY_KEY, PAYLOAD,
                    EMITTED_AT, PERSISTED_AT, ADAPTER_VERSION, ENGINE_RUN_REF, CAUSED_BY_SIGNAL_ID, PARENT_EVENT_ID
                )
                VALUES (
                    S.RUN_ID, S.RUN_SEQ, S.EVENT_ID, S.EVENT_TYPE, S.STEP_ID, S.ENGINE_ATTEMPT_ID,
                    S.LOGICAL_ATTEMPT_ID, S.TENANT_ID, S.PROJECT_ID, S.ENVIRONMENT_ID, S.PLAN_ID, S.PLAN_VERSION,
                    S.IDEMPOTENCY_KEY, S.PAYLOAD, S.EMITTED_AT, S.PERSISTED_AT, S.ADAPTER_VERSION, S.ENGINE_RUN_REF,
                    S.CAUSED_BY_SIGNAL_ID, S.PARENT_EVENT_ID
                );
            V_STORED_EVENTS := SQLROWCOUNT;

            IF (COALESCE(V_STORED_EVENTS, -1) <> V_NEW_EVENTS) THEN
                CALL REFUSE_RACE();
            END IF;
        END IF;

        IF (V_CONFLICTS > 0) THEN
            CALL ALERT_CONFLICTS(:V_PLAN);
        END IF;

        COMMIT;
    EXCEPTION
        WHEN OTHER THEN
            ROLLBACK;
            RAISE;
    END;

    RETURN V_PLAN;
END;
$$;
