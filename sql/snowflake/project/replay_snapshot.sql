-- The snapshot as the run's log alone gives it, up to P_UP_TO_SEQ or to its end: a pure fold that reads no projection
-- and stores nothing. Stops before a gap and raises no alert. Null or a sequence past the end means all of the log;
-- RS010 below 1, RS012 for an unknown run. Locks nothing, never waits. Two statements, and one more for each further
-- chunk of 10,000 events or about 4 MB.
CREATE OR REPLACE PROCEDURE REPLAY_SNAPSHOT(P_RUN_ID VARCHAR, P_UP_TO_SEQ NUMBER DEFAULT NULL)
COPY GRANTS
RETURNS VARIANT
LANGUAGE SQL
COMMENT = 'The snapshot as the run''s log gives it up to P_UP_TO_SEQ; stores nothing. RS012 for an unknown run.'
EXECUTE AS OWNER
AS
$$
DECLARE
    V_SHOWN VARCHAR DEFAULT NULL;
    V_MESSAGE VARCHAR DEFAULT NULL;
    V_STATE VARIANT DEFAULT NULL;
    V_SNAPSHOT VARIANT DEFAULT NULL;
    V_FROM_SEQ NUMBER DEFAULT -1;
    V_TO_SEQ NUMBER DEFAULT 0;
    V_IS_CUT BOOLEAN DEFAULT TRUE;
BEGIN
    IF (P_UP_TO_SEQ < 1) THEN
        V_SHOWN := P_UP_TO_SEQ::VARCHAR;
        V_MESSAGE := 'upToSeq ' || V_SHOWN || ' is refused: expected a sequence number from 1';
        CALL RAISE_ERROR(
            'RS010', :V_MESSAGE, 'Give the run_seq of the last event to fold, or leave it out for all of them.',
            'upToSeq', :V_SHOWN, 'a whole number from 1'
        );
    END IF;

    CALL CHECK_RUN(:P_RUN_ID);

    WHILE (V_IS_CUT AND V_TO_SEQ > V_FROM_SEQ) DO
        V_FROM_SEQ := V_TO_SEQ;

        SELECT
            F.STATE,
            F.STATE:snapshot,
            F.STATE:snapshot:lastEventSeq::NUMBER(38, 0),
            F.IS_CUT
        INTO :V_STATE, :V_SNAPSHOT, :V_TO_SEQ, :V_IS_CUT
        FROM (
            SELECT
                FOLD_EVENTS(
                    COALESCE(:V_STATE, ANY_VALUE(R.STATE)), ARRAY_AGG(A.EVENT) WITHIN GROUP (ORDER BY A.RUN_SEQ)
                ) AS STATE,
                COALESCE(MAX(A.TOTAL) > COUNT(A.RUN_SEQ), FALSE) AS IS_CUT
            FROM (
                SELECT
                    V.RUN_ID,
                    OBJECT_CONSTRUCT('snapshot', OBJECT_CONSTRUCT(
                        'runId', V.RUN_ID,
                        'tenantId', V.TENANT_ID,
                        'projectId', V.PROJECT_ID,
                        'environmentId', V.ENVIRONMENT_ID
                    )) AS STATE
                FROM VISIBLE_RUNS AS V
                WHERE V.RUN_ID = :P_RUN_ID
            ) AS R
            LEFT JOIN (
                SELECT
                    E.RUN_ID, E.RUN_SEQ, E.EVENT,
                    COUNT(*) OVER (PARTITION BY E.RUN_ID) AS TOTAL,
                    ROW_NUMBER() OVER (PARTITION BY E.RUN_ID ORDER BY E.RUN_SEQ) AS NTH,
                    SUM(E.SIZE::NUMBER(38, 0)) OVER (
                        PARTITION BY E.RUN_ID ORDER BY E.RUN_SEQ ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
                    ) AS SIZE
                FROM FOLDABLE_EVENTS AS E
                WHERE
                    E.RUN_ID = :P_RUN_ID
                    AND E.RUN_SEQ > :V_FROM_SEQ
                    AND (E.RUN_SEQ <= :P_UP_TO_SEQ OR :P_UP_TO_SEQ IS NULL)
            ) AS A ON R.RUN_ID = A.RUN_ID AND (A.NTH = 1 OR A.NTH <= 10000 AND A.SIZE <= 4000000)
        ) AS F;
    END WHILE;

    RETURN V_SNAPSHOT;
END;
$$;
