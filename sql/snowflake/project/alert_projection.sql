-- Raises and closes the alerts of runs that PROJECT_RUNS has just projected: INVALID_TRANSITION for each event that the
-- transitions refused and that was not reported before; PROJECTOR_GAP_DETECTED and PROJECTION_FAILED for runs that are
-- halted, once while it is open; these two are closed when the run has passed the event that they name. Part of the
-- caller's transaction, which holds the projection's lock. Two statements.
CREATE OR REPLACE PROCEDURE ALERT_PROJECTION(P_RUN_IDS VARIANT)
COPY GRANTS
RETURNS BOOLEAN
LANGUAGE SQL
COMMENT = 'Raises and closes the alerts of runs that were just projected.'
EXECUTE AS OWNER
AS
$$
BEGIN
    UPDATE ALERTS
    SET RESOLVED_AT = CLOCK()
    WHERE
        CODE IN ('PROJECTOR_GAP_DETECTED', 'PROJECTION_FAILED')
        AND RESOLVED_AT IS NULL
        AND ALERT_ID IN (
            SELECT A.ALERT_ID
            FROM ALERTS AS A
            INNER JOIN RUN_SNAPSHOTS AS N ON A.RUN_ID = N.RUN_ID
            WHERE
                N.WAS_HALTED
                AND A.RUN_SEQ <= N.LAST_EVENT_SEQ
                AND A.RUN_SEQ < COALESCE(N.HALTED_AT_SEQ, A.RUN_SEQ + 1)
                AND N.RUN_ID IN (SELECT R.VALUE::VARCHAR FROM TABLE(FLATTEN(INPUT => :P_RUN_IDS)) AS R)
        );

    MERGE INTO ALERTS AS T
    USING (
        WITH PROJECTED AS (
            SELECT N.*
            FROM RUN_SNAPSHOTS AS N
            WHERE N.RUN_ID IN (SELECT R.VALUE::VARCHAR FROM TABLE(FLATTEN(INPUT => :P_RUN_IDS)) AS R)
        ),

        FOUND AS (
            SELECT
                'INVALID_TRANSITION' AS CODE,
                'P3' AS SEVERITY,
                P.RUN_ID,
                P.TENANT_ID,
                X.VALUE:eventId::VARCHAR AS EVENT_ID,
                X.VALUE:runSeq::NUMBER(38, 0) AS RUN_SEQ,
                OBJECT_CONSTRUCT(
                    'eventType', X.VALUE:eventType,
                    'stepId', X.VALUE:stepId,
                    'logicalAttemptId', X.VALUE:logicalAttemptId,
                    'emittedAt', X.VALUE:emittedAt,
                    'priorState', X.VALUE:priorState,
                    'attemptedState', X.VALUE:attemptedState
                ) AS DETAILS
            FROM PROJECTED AS P, LATERAL FLATTEN(INPUT => P.REFUSALS) AS X
            WHERE X.VALUE:runSeq::NUMBER(38, 0) > P.REPORTED_SEQ
            UNION ALL
            SELECT
                'PROJECTOR_GAP_DETECTED' AS CODE,
                'P1' AS SEVERITY,
                P.RUN_ID,
                P.TENANT_ID,
                NULL AS EVENT_ID,
                P.HALTED_AT_SEQ AS RUN_SEQ,
                OBJECT_CONSTRUCT('lastSeq', P.HALTED_AT_SEQ - 1, 'nextSeq', P.NEXT_SEQ) AS DETAILS
            FROM PROJECTED AS P
            WHERE P.HALTED_BY = 'GAP'
            UNION ALL
            SELECT
                'PROJECTION_FAILED' AS CODE,
                'P2' AS SEVERITY,
                P.RUN_ID,
                P.TENANT_ID,
                NULL AS EVENT_ID,
                P.HALTED_AT_SEQ AS RUN_SEQ,
                OBJECT_CONSTRUCT('lastSeq', P.HALTED_AT_SEQ - 1, 'message', P.FAILURE) AS DETAILS
            FROM PROJECTED AS P
            WHERE P.HALTED_BY = 'FAILURE'
        )

        SELECT
            F.*,
            UUID_STRING() AS ALERT_ID,
            CLOCK() AS NOW
        FROM FOUND AS F
    ) AS S
    ON
        T.RUN_ID = S.RUN_ID
        AND T.CODE = S.CODE
        AND COALESCE(T.EVENT_ID, '') = COALESCE(S.EVENT_ID, '')
        AND T.RESOLVED_AT IS NULL
    WHEN MATCHED AND S.CODE = 'INVALID_TRANSITION' THEN
        UPDATE SET COUNT = T.COUNT + 1, LAST_SEEN_AT = S.NOW, DETAILS = S.DETAILS
    WHEN NOT MATCHED THEN
        INSERT (
            ALERT_ID, CODE, SEVERITY, RUN_ID, TENANT_ID, EVENT_ID, RUN_SEQ, DETAILS, RAISED_AT, LAST_SEEN_AT, COUNT
        )
        VALUES (
            S.ALERT_ID, S.CODE, S.SEVERITY, S.RUN_ID, S.TENANT_ID, S.EVENT_ID, S.RUN_SEQ, S.DETAILS, S.NOW, S.NOW, 1
        );

    RETURN TRUE;
END;
$$;
