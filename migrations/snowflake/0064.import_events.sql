-- Imports the files in @IMPORT_STAGE/csv (P_FORMAT CSV) or @IMPORT_STAGE/parquet (PARQUET): events as
-- runstore.run_event_records of PostgreSQL has them, whole runs or their continuation.
-- depends: 0063.refuse_import

CREATE OR REPLACE PROCEDURE IMPORT_EVENTS(P_FORMAT VARCHAR DEFAULT 'CSV')
COPY GRANTS
RETURNS VARIANT
LANGUAGE SQL
COMMENT = 'Imports a CSV or Parquet export of PostgreSQL from @IMPORT_STAGE and continues the counters.'
EXECUTE AS OWNER
AS
$$
DECLARE
    V_FORMAT VARCHAR DEFAULT UPPER(COALESCE(P_FORMAT, 'CSV'));
    V_MESSAGE VARCHAR DEFAULT NULL;
    V_RUNS VARIANT DEFAULT NULL;
    V_REFUSAL VARIANT DEFAULT NULL;
    V_REFUSED NUMBER DEFAULT 0;
    V_ROWS NUMBER DEFAULT 0;
    V_KNOWN NUMBER DEFAULT 0;
    V_NEW_EVENTS NUMBER DEFAULT 0;
    V_NEW_RUNS NUMBER DEFAULT 0;
    V_MOVED_RUNS NUMBER DEFAULT 0;
    V_STORED_EVENTS NUMBER DEFAULT 0;
    V_ANSWER VARIANT DEFAULT NULL;
BEGIN
    IF (V_FORMAT <> 'CSV' AND V_FORMAT <> 'PARQUET') THEN
        V_MESSAGE := 'format "' || LEFT(P_FORMAT, 100) || '" is no format of an import';
        CALL RAISE_ERROR(
            'RS010', :V_MESSAGE, 'Put the file into @IMPORT_STAGE/csv or @IMPORT_STAGE/parquet, and name its format.',
            'format', :P_FORMAT, 'CSV or PARQUET'
        );
    END IF;

    BEGIN
        BEGIN TRANSACTION;

        CALL LOAD_IMPORT(:V_FORMAT);

        SELECT
            ARRAY_AGG(OBJECT_CONSTRUCT(
                'runId', C.RUN_ID,
                'tenantId', C.TENANT_ID,
                'projectId', C.PROJECT_ID,
                'environmentId', C.ENVIRONMENT_ID
            )) WITHIN GROUP (ORDER BY C.RUN_ID)
        INTO :V_RUNS
        FROM (
            SELECT
                I.RUN_ID,
                MIN(I.TENANT_ID) AS TENANT_ID,
                MIN(I.PROJECT_ID) AS PROJECT_ID,
                MIN(I.ENVIRONMENT_ID) AS ENVIRONMENT_ID
            FROM IMPORT_CHECKED AS I
            WHERE I.FAULT IS NULL
            GROUP BY I.RUN_ID
        ) AS C;

        CALL LOCK_RUNS(:V_RUNS);

        SELECT
            MIN_BY(
                OBJECT_CONSTRUCT('fault', J.REFUSAL, 'runId', J.RUN_ID, 'runSeq', J.RUN_SEQ),
                CASE WHEN J.REFUSAL IS NOT NULL THEN J.PLACE END
            ),
            COUNT(J.REFUSAL),
            COUNT(*),
            COUNT(CASE WHEN J.KNOWN_SEQ IS NOT NULL OR J.NTH_OF_KEY > 1 THEN J.PLACE END),
            COUNT(CASE WHEN J.KNOWN_SEQ IS NULL AND J.NTH_OF_KEY = 1 THEN J.PLACE END),
            COUNT(DISTINCT CASE WHEN J.KNOWN_SEQ IS NULL THEN J.RUN_ID END)
        INTO :V_REFUSAL, :V_REFUSED, :V_ROWS, :V_KNOWN, :V_NEW_EVENTS, :V_NEW_RUNS
        FROM (
            SELECT
                P.*,
                CASE
                    WHEN P.FAULT IS NOT NULL THEN P.FAULT
                    WHEN P.IDENTITY_DIFFERS
                        THEN OBJECT_CONSTRUCT(
                            'code', 'RS002', 'field', 'runId', 'value', P.RUN_ID,
                            'expected', 'the tenant, project and environment of the run''s first event'
                        )
                    WHEN P.KNOWN_SEQ = P.RUN_SEQ THEN NULL
                    WHEN P.NTH_OF_KEY > 1 AND P.FIRST_SEQ_OF_KEY = P.RUN_SEQ THEN NULL
                    WHEN P.ARCHIVED_AT IS NOT NULL
                        THEN OBJECT_CONSTRUCT(
                            'code', 'RS008', 'field', 'runId', 'value', P.RUN_ID,
                            'expected', 'a run that is not archived'
                        )
                    WHEN P.ID_IS_TAKEN
                        THEN OBJECT_CONSTRUCT(
                            'code', 'RS003', 'field', 'eventId', 'value', P.EVENT_ID,
                            'expected', 'an id that no other event of the run has'
                        )
                    WHEN COALESCE(P.KNOWN_SEQ, P.NEXT_SEQ) <> COALESCE(P.RUN_SEQ, 0)
                        THEN OBJECT_CONSTRUCT(
                            'code', 'RS001', 'field', 'runSeq', 'value', COALESCE(P.RUN_SEQ::VARCHAR, ''),
                            'expected', COALESCE(P.KNOWN_SEQ, P.NEXT_SEQ)::VARCHAR || ', where the log goes on'
                        )
                    WHEN P.PERSISTED_AT < P.EARLIER_AT
                        THEN OBJECT_CONSTRUCT(
                            'code', 'RS001', 'field', 'persistedAt', 'value', UTC_TEXT(P.PERSISTED_AT),
                            'expected', 'no earlier than ' || UTC_TEXT(P.EARLIER_AT) || ', that of the event before'
                        )
                END AS REFUSAL
            FROM (
                SELECT
                    N.*,
                    N.LAST_SEQ + COUNT_IF(N.KNOWN_SEQ IS NULL AND N.NTH_OF_KEY = 1) OVER (
                        PARTITION BY N.RUN_ID ORDER BY N.PLACE ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
                    ) AS NEXT_SEQ,
                    COALESCE(
                        MAX(CASE WHEN N.KNOWN_SEQ IS NULL THEN N.PERSISTED_AT END) OVER (
                            PARTITION BY N.RUN_ID ORDER BY N.PLACE ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
                        ),
                        N.LAST_PERSISTED_AT
                    ) AS EARLIER_AT
                FROM (
                    SELECT
                        C.*,
                        R.ARCHIVED_AT, R.LAST_PERSISTED_AT,
                        COALESCE(R.LAST_SEQ, 0) AS LAST_SEQ,
                        K.RUN_SEQ AS KNOWN_SEQ,
                        ROW_NUMBER() OVER (ORDER BY C.RUN_ID, C.RUN_SEQ, C.IDEMPOTENCY_KEY) AS PLACE,
                        ROW_NUMBER() OVER (
                            PARTITION BY C.RUN_ID, C.IDEMPOTENCY_KEY ORDER BY C.RUN_SEQ
                        ) AS NTH_OF_KEY,
                        MIN(C.RUN_SEQ) OVER (PARTITION BY C.RUN_ID, C.IDEMPOTENCY_KEY) AS FIRST_SEQ_OF_KEY,
                        T.IDEMPOTENCY_KEY <> C.IDEMPOTENCY_KEY
                        OR MIN(C.IDEMPOTENCY_KEY) OVER (PARTITION BY C.RUN_ID, C.EVENT_ID) <> C.IDEMPOTENCY_KEY
                            AS ID_IS_TAKEN,
                        C.TENANT_ID <> COALESCE(R.TENANT_ID, MIN(C.TENANT_ID) OVER (PARTITION BY C.RUN_ID))
                        OR C.PROJECT_ID <> COALESCE(R.PROJECT_ID, MIN(C.PROJECT_ID) OVER (PARTITION BY C.RUN_ID))
                        OR C.ENVIRONMENT_ID <> COALESCE(
                            R.ENVIRONMENT_ID, MIN(C.ENVIRONMENT_ID) OVER (PARTITION BY C.RUN_ID)
                        ) AS IDENTITY_DIFFERS
                    FROM IMPORT_CHECKED AS C
                    LEFT JOIN RUN_COUNTERS AS R ON C.RUN_ID = R.RUN_ID
                    LEFT JOIN LOGGED_EVENTS AS K ON C.RUN_ID = K.RUN_ID AND C.IDEMPOTENCY_KEY = K.IDEMPOTENCY_KEY
                    LEFT JOIN LOGGED_EVENTS AS T ON C.RUN_ID = T.RUN_ID AND C.EVENT_ID = T.EVENT_ID
                ) AS N
            ) AS P
        ) AS J;

        IF (V_REFUSED > 0) THEN
            CALL REFUSE_IMPORT(:V_REFUSAL);
        END IF;

        IF (V_NEW_EVENTS > 0) THEN
            MERGE INTO RUN_COUNTERS AS T
            USING (
                SELECT
                    C.RUN_ID,
                    MIN(C.TENANT_ID) AS TENANT_ID,
                    MIN(C.PROJECT_ID) AS PROJECT_ID,
                    MIN(C.ENVIRONMENT_ID) AS ENVIRONMENT_ID,
                    MIN(C.RUN_SEQ) - 1 AS SEEN_SEQ,
                    MAX(C.RUN_SEQ) AS LAST_SEQ,
                    MAX(C.PERSISTED_AT) AS LAST_PERSISTED_AT
                FROM IMPORT_CHECKED AS C
                LEFT JOIN LOGGED_EVENTS AS K ON C.RUN_ID = K.RUN_ID AND C.IDEMPOTENCY_KEY = K.IDEMPOTENCY_KEY
                WHERE K.RUN_ID IS NULL
                GROUP BY C.RUN_ID
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
                SELECT C.*
                FROM IMPORT_CHECKED AS C
                LEFT JOIN LOGGED_EVENTS AS K ON C.RUN_ID = K.RUN_ID AND C.IDEMPOTENCY_KEY = K.IDEMPOTENCY_KEY
                WHERE K.RUN_ID IS NULL
                QUALIFY ROW_NUMBER() OVER (PARTITION BY C.RUN_ID, C.IDEMPOTENCY_KEY ORDER BY C.RUN_SEQ) = 1
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

        COMMIT;
    EXCEPTION
        WHEN OTHER THEN
            ROLLBACK;
            RAISE;
    END;

    SELECT
        OBJECT_CONSTRUCT(
            'rows', :V_ROWS, 'imported', :V_NEW_EVENTS, 'known', :V_KNOWN, 'runs', ARRAY_SIZE(:V_RUNS)
        )
    INTO :V_ANSWER;

    RETURN V_ANSWER;
END;
$$;
