-- Naive: a counter for each run and MERGE on the key, so that nothing seems to be stored twice. There is no lock, the
-- counter moves from whatever value it has, and nobody looks how many rows came of it.
CREATE OR REPLACE PROCEDURE STORE_EVENTS(P_EVENTS VARIANT, P_IS_BATCH BOOLEAN)
RETURNS VARIANT
LANGUAGE SQL
EXECUTE AS OWNER
AS
$$
DECLARE
    V_PLAN VARIANT DEFAULT NULL;
BEGIN
    BEGIN
        BEGIN TRANSACTION;

        SELECT
            ARRAY_AGG(
                OBJECT_CONSTRUCT(
                    'index', P.IDX,
                    'firstIndex', P.FIRST_IDX,
                    'runId', P.RUN_ID,
                    'idempotencyKey', P.IDEMPOTENCY_KEY,
                    'eventId', COALESCE(P.KNOWN_ID, P.SENT_ID, UUID_STRING()),
                    'runSeq', COALESCE(P.KNOWN_SEQ, P.SEEN_SEQ + P.NTH),
                    'seenSeq', P.SEEN_SEQ,
                    'isNew', P.IS_NEW,
                    'differs', P.DIFFERS
                )
            ) WITHIN GROUP (ORDER BY P.IDX)
        INTO :V_PLAN
        FROM (
            WITH SENT AS (
                SELECT
                    E.INDEX AS IDX,
                    E.VALUE:runId::VARCHAR AS RUN_ID,
                    E.VALUE:eventId::VARCHAR AS SENT_ID,
                    COALESCE(E.VALUE:idempotencyKey::VARCHAR, IDEMPOTENCY_KEY(E.VALUE)) AS IDEMPOTENCY_KEY,
                    OBJECT_CONSTRUCT('eventType', E.VALUE:eventType) AS CONTENT
                FROM TABLE(FLATTEN(INPUT => :P_EVENTS)) AS E
            ),

            KNOWN AS (
                SELECT
                    L.RUN_ID, L.IDEMPOTENCY_KEY, L.EVENT_ID, L.RUN_SEQ,
                    OBJECT_CONSTRUCT('eventType', L.EVENT_TYPE) AS CONTENT
                FROM RUN_EVENTS AS L
                WHERE
                    L.RUN_ID IN (SELECT S.RUN_ID FROM SENT AS S)
                    AND L.IDEMPOTENCY_KEY IN (SELECT S.IDEMPOTENCY_KEY FROM SENT AS S)
                QUALIFY ROW_NUMBER() OVER (PARTITION BY L.RUN_ID, L.IDEMPOTENCY_KEY ORDER BY L.RUN_SEQ) = 1
            ),

            JUDGED AS (
                SELECT
                    S.IDX, S.RUN_ID, S.SENT_ID, S.IDEMPOTENCY_KEY, S.CONTENT,
                    COALESCE(R.LAST_SEQ, 0) AS SEEN_SEQ,
                    K.EVENT_ID AS KNOWN_ID,
                    K.RUN_SEQ AS KNOWN_SEQ,
                    K.CONTENT AS KNOWN_CONTENT,
                    FIRST_VALUE(S.IDX) OVER (PARTITION BY S.RUN_ID, S.IDEMPOTENCY_KEY ORDER BY S.IDX) AS FIRST_IDX,
                    K.RUN_SEQ IS NULL AND ROW_NUMBER() OVER (
                        PARTITION BY S.RUN_ID, S.IDEMPOTENCY_KEY ORDER BY S.IDX
                    ) = 1 AS IS_NEW
                FROM SENT AS S
                LEFT JOIN RUN_COUNTERS AS R ON S.RUN_ID = R.RUN_ID
                LEFT JOIN KNOWN AS K ON S.RUN_ID = K.RUN_ID AND S.IDEMPOTENCY_KEY = K.IDEMPOTENCY_KEY
            ),

            PLACED AS (
                SELECT
                    J.*,
                    COUNT_IF(J.IS_NEW) OVER (
                        PARTITION BY J.RUN_ID ORDER BY J.IDX ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
                    ) AS NTH
                FROM JUDGED AS J
            )

            SELECT
                T.*,
                CASE
                    WHEN NOT T.IS_NEW
                        THEN DIFFERING_FIELDS(COALESCE(T.KNOWN_CONTENT, T.FIRST_CONTENT), T.CONTENT)
                END AS DIFFERS
            FROM PLACED AS T
        ) AS P;

        MERGE INTO RUN_COUNTERS AS T
        USING (
            SELECT
                A.VALUE:runId::VARCHAR AS RUN_ID,
                MAX(A.VALUE:runSeq::NUMBER(38, 0)) AS LAST_SEQ
            FROM TABLE(FLATTEN(INPUT => :V_PLAN)) AS A
            WHERE A.VALUE:isNew::BOOLEAN
            GROUP BY A.VALUE:runId::VARCHAR
        ) AS S
        ON T.RUN_ID = S.RUN_ID
        WHEN MATCHED THEN UPDATE SET LAST_SEQ = S.LAST_SEQ
        WHEN NOT MATCHED THEN INSERT (RUN_ID, LAST_SEQ) VALUES (S.RUN_ID, S.LAST_SEQ);

        MERGE INTO RUN_EVENTS AS T
        USING (
            SELECT
                E.VALUE:runId::VARCHAR AS RUN_ID,
                A.VALUE:runSeq::NUMBER(38, 0) AS RUN_SEQ,
                A.VALUE:eventId::VARCHAR AS EVENT_ID,
                E.VALUE:eventType::VARCHAR AS EVENT_TYPE,
                A.VALUE:idempotencyKey::VARCHAR AS IDEMPOTENCY_KEY
            FROM TABLE(FLATTEN(INPUT => :V_PLAN)) AS A
            INNER JOIN TABLE(FLATTEN(INPUT => :P_EVENTS)) AS E ON A.INDEX = E.INDEX
            WHERE A.VALUE:isNew::BOOLEAN
        ) AS S
        ON T.RUN_ID = S.RUN_ID AND T.IDEMPOTENCY_KEY = S.IDEMPOTENCY_KEY
        WHEN NOT MATCHED THEN
            INSERT (RUN_ID, RUN_SEQ, EVENT_ID, EVENT_TYPE, IDEMPOTENCY_KEY)
            VALUES (S.RUN_ID, S.RUN_SEQ, S.EVENT_ID, S.EVENT_TYPE, S.IDEMPOTENCY_KEY);

        COMMIT;
    EXCEPTION
        WHEN OTHER THEN
            ROLLBACK;
            RAISE;
    END;

    RETURN V_PLAN;
END;
$$;
