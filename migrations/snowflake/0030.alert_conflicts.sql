-- Raises IDEMPOTENCY_CONFLICT for the elements of a plan of STORE_EVENTS whose key is known with another event, and
-- names the fields in which they differ.
-- depends: 0029.lock_runs

CREATE OR REPLACE PROCEDURE ALERT_CONFLICTS(P_PLAN VARIANT)
COPY GRANTS
RETURNS BOOLEAN
LANGUAGE SQL
COMMENT = 'Raises the alerts for events that differ from the stored ones with their keys.'
EXECUTE AS OWNER
AS
$$
BEGIN
    MERGE INTO ALERTS AS T
    USING (
        SELECT
            UUID_STRING() AS ALERT_ID,
            C.RUN_ID, C.TENANT_ID, C.EVENT_ID, C.RUN_SEQ, C.DETAILS, C.OCCURRENCES,
            'IDEMPOTENCY_CONFLICT' AS CODE,
            'P3' AS SEVERITY,
            CLOCK() AS NOW
        FROM (
            SELECT
                A.VALUE:runId::VARCHAR AS RUN_ID,
                F.VALUE:eventId::VARCHAR AS EVENT_ID,
                MIN(A.VALUE:tenantId::VARCHAR) AS TENANT_ID,
                MIN(A.VALUE:runSeq::NUMBER(38, 0)) AS RUN_SEQ,
                MAX_BY(OBJECT_CONSTRUCT('differs', A.VALUE:differs), A.INDEX) AS DETAILS,
                COUNT(*) AS OCCURRENCES
            FROM TABLE(FLATTEN(INPUT => :P_PLAN)) AS A
            INNER JOIN TABLE(FLATTEN(INPUT => :P_PLAN)) AS F ON A.VALUE:firstIndex::NUMBER(38, 0) = F.INDEX
            WHERE ARRAY_SIZE(A.VALUE:differs) > 0
            GROUP BY A.VALUE:runId::VARCHAR, F.VALUE:eventId::VARCHAR
        ) AS C
    ) AS S
    ON T.RUN_ID = S.RUN_ID AND T.CODE = S.CODE AND T.EVENT_ID = S.EVENT_ID AND T.RESOLVED_AT IS NULL
    WHEN MATCHED THEN
        UPDATE SET COUNT = T.COUNT + S.OCCURRENCES, LAST_SEEN_AT = S.NOW, DETAILS = S.DETAILS
    WHEN NOT MATCHED THEN
        INSERT (
            ALERT_ID, CODE, SEVERITY, RUN_ID, TENANT_ID, EVENT_ID, RUN_SEQ, DETAILS, RAISED_AT, LAST_SEEN_AT, COUNT
        )
        VALUES (
            S.ALERT_ID, S.CODE, S.SEVERITY, S.RUN_ID, S.TENANT_ID, S.EVENT_ID, S.RUN_SEQ, S.DETAILS, S.NOW, S.NOW,
            S.OCCURRENCES
        );

    RETURN TRUE;
END;
$$;
