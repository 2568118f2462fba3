-- Brings the snapshots of runs up to the end of their logs, or to where a gap or a failure stops them, and raises and
-- closes the alerts about it.
-- depends: 0042.alert_projection

CREATE OR REPLACE PROCEDURE PROJECT_RUNS(P_RUN_IDS VARIANT)
COPY GRANTS
RETURNS NUMBER
LANGUAGE SQL
COMMENT = 'Brings the snapshots of runs up to the end of their logs.'
EXECUTE AS OWNER
AS
$$
DECLARE
    V_ROWS NUMBER DEFAULT 0;
    V_IS_FIRST BOOLEAN DEFAULT TRUE;
    V_RUNS VARIANT DEFAULT NULL;
    V_LEFT NUMBER DEFAULT 0;
    V_HELD NUMBER DEFAULT 0;
    V_HALTED NUMBER DEFAULT 0;
    V_WERE_HALTED NUMBER DEFAULT 0;
    V_REFUSED NUMBER DEFAULT 0;
    V_AT_END NUMBER DEFAULT 0;
    V_CAUGHT_UP NUMBER DEFAULT 0;
BEGIN
    LOOP
        SELECT
            ARRAY_AGG(CASE WHEN G.GOES_ON THEN G.RUN_ID END),
            COUNT_IF(G.GOES_ON),
            COUNT_IF(G.IS_HELD)
        INTO :V_RUNS, :V_LEFT, :V_HELD
        FROM (
            SELECT
                C.RUN_ID,
                N.HALTED_AT_SEQ <= N.LAST_EVENT_SEQ AND COALESCE(B.EVENTS, 0) < N.LAST_EVENT_SEQ AS IS_HELD,
                CASE
                    WHEN N.HALTED_AT_SEQ <= N.LAST_EVENT_SEQ
                        THEN :V_IS_FIRST AND COALESCE(B.EVENTS, 0) = N.LAST_EVENT_SEQ
                    WHEN N.HALTED_BY IS NOT NULL THEN :V_IS_FIRST
                    ELSE C.LAST_SEQ > COALESCE(N.LAST_EVENT_SEQ, 0)
                END AS GOES_ON
            FROM RUN_COUNTERS AS C
            LEFT JOIN RUN_SNAPSHOTS AS N ON C.RUN_ID = N.RUN_ID
            LEFT JOIN (
                SELECT
                    H.RUN_ID,
                    COUNT(DISTINCT E.RUN_SEQ) AS EVENTS
                FROM RUN_SNAPSHOTS AS H
                INNER JOIN LOGGED_EVENTS AS E ON H.RUN_ID = E.RUN_ID AND H.LAST_EVENT_SEQ >= E.RUN_SEQ
                WHERE
                    H.HALTED_AT_SEQ <= H.LAST_EVENT_SEQ
                    AND H.RUN_ID IN (SELECT R.VALUE::VARCHAR FROM TABLE(FLATTEN(INPUT => :P_RUN_IDS)) AS R)
                GROUP BY H.RUN_ID
            ) AS B ON C.RUN_ID = B.RUN_ID
            WHERE C.RUN_ID IN (SELECT R.VALUE::VARCHAR FROM TABLE(FLATTEN(INPUT => :P_RUN_IDS)) AS R)
        ) AS G;

        IF (V_IS_FIRST AND V_HELD > 0) THEN
            UPDATE RUN_SNAPSHOTS
            SET ATTEMPTS = ATTEMPTS + 1, TRIED_AT = CLOCK()
            WHERE
                HALTED_AT_SEQ <= LAST_EVENT_SEQ
                AND RUN_ID IN (SELECT R.VALUE::VARCHAR FROM TABLE(FLATTEN(INPUT => :P_RUN_IDS)) AS R)
                AND RUN_ID NOT IN (SELECT R.VALUE::VARCHAR FROM TABLE(FLATTEN(INPUT => :V_RUNS)) AS R);
        END IF;

        IF (V_LEFT = 0) THEN
            BREAK;
        END IF;

        MERGE INTO RUN_SNAPSHOTS AS T
        USING (
            WITH STOOD AS (
                SELECT
                    C.RUN_ID, C.TENANT_ID, N.PROJECTED_AT,
                    C.LAST_SEQ AS LOG_SEQ,
                    C.LAST_PERSISTED_AT AS LOG_AT,
                    COALESCE(N.LAST_EVENT_SEQ, 0) AS FROM_SEQ,
                    COALESCE(N.ATTEMPTS, 0) AS ATTEMPTS,
                    COALESCE(N.VERSION, -1) AS VERSION,
                    N.HALTED_BY IS NOT NULL OR N.WAS_HALTED AND NOT :V_IS_FIRST AS WAS_HALTED
                FROM RUN_COUNTERS AS C
                LEFT JOIN RUN_SNAPSHOTS AS N ON C.RUN_ID = N.RUN_ID
                WHERE C.RUN_ID IN (SELECT R.VALUE::VARCHAR FROM TABLE(FLATTEN(INPUT => :V_RUNS)) AS R)
            ),

            STATES AS (
                SELECT
                    C.RUN_ID,
                    CASE
                        WHEN N.LAST_EVENT_SEQ > 0
                            THEN OBJECT_CONSTRUCT('snapshot', N.SNAPSHOT_DATA, 'runArtifacts', N.RUN_ARTIFACTS)
                        ELSE
                            OBJECT_CONSTRUCT('snapshot', OBJECT_CONSTRUCT(
                                'runId', C.RUN_ID,
                                'tenantId', C.TENANT_ID,
                                'projectId', C.PROJECT_ID,
                                'environmentId', C.ENVIRONMENT_ID
                            ))
                    END AS STATE
                FROM RUN_COUNTERS AS C
                LEFT JOIN RUN_SNAPSHOTS AS N ON C.RUN_ID = N.RUN_ID
                WHERE C.RUN_ID IN (SELECT R.VALUE::VARCHAR FROM TABLE(FLATTEN(INPUT => :V_RUNS)) AS R)
            ),

            AHEAD AS (
                SELECT
                    B.RUN_ID, E.RUN_SEQ, E.EVENT,
                    CASE WHEN E.RUN_SEQ = 1 THEN E.PERSISTED_AT END AS BEGUN_AT,
                    COUNT(*) OVER (PARTITION BY B.RUN_ID) AS TOTAL,
                    ROW_NUMBER() OVER (PARTITION BY B.RUN_ID ORDER BY E.RUN_SEQ) AS NTH,
                    SUM(E.SIZE::NUMBER(38, 0)) OVER (
                        PARTITION BY B.RUN_ID ORDER BY E.RUN_SEQ ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
                    ) AS SIZE
                FROM STOOD AS B
                INNER JOIN FOLDABLE_EVENTS AS E ON B.RUN_ID = E.RUN_ID AND B.FROM_SEQ < E.RUN_SEQ
            ),

            CHUNKS AS (
                SELECT
                    A.RUN_ID,
                    ARRAY_AGG(A.EVENT) WITHIN GROUP (ORDER BY A.RUN_SEQ) AS EVENTS,
                    MAX(A.RUN_SEQ) AS LAST_SEQ,
                    MAX(A.BEGUN_AT) AS BEGUN_AT,
                    MAX(A.TOTAL) > COUNT(*) AS IS_CUT
                FROM AHEAD AS A
                WHERE A.NTH = 1 OR A.NTH <= 10000 AND A.SIZE <= 4000000
                GROUP BY A.RUN_ID
            ),

            FOLDED AS (
                SELECT
                    B.RUN_ID, B.TENANT_ID, B.WAS_HALTED, B.PROJECTED_AT, B.LOG_SEQ, B.LOG_AT, B.FROM_SEQ, B.ATTEMPTS,
                    B.VERSION, K.BEGUN_AT,
                    K.LAST_SEQ AS CHUNK_SEQ,
                    COALESCE(K.IS_CUT, FALSE) AS IS_CUT,
                    FOLD_EVENTS(A.STATE, COALESCE(K.EVENTS, ARRAY_CONSTRUCT())) AS STATE
                FROM STOOD AS B
                INNER JOIN STATES AS A ON B.RUN_ID = A.RUN_ID
                LEFT JOIN CHUNKS AS K ON B.RUN_ID = K.RUN_ID
            ),

            STANDS AS (
                SELECT
                    F.*,
                    GREATEST(F.FROM_SEQ, COALESCE(F.STATE:snapshot:lastEventSeq::NUMBER(38, 0), 0)) AS TO_SEQ,
                    CASE
                        WHEN F.STATE:failure::VARCHAR IS NOT NULL THEN 'FAILURE'
                        WHEN
                            COALESCE(F.STATE:snapshot:lastEventSeq::NUMBER(38, 0), 0)
                            < CASE WHEN F.IS_CUT THEN F.CHUNK_SEQ ELSE F.LOG_SEQ END
                            THEN 'GAP'
                    END AS STOPPED_BY,
                    N.NOW
                FROM FOLDED AS F
                CROSS JOIN (SELECT CLOCK() AS NOW) AS N
            )

            SELECT
                H.RUN_ID, H.TENANT_ID, H.FROM_SEQ, H.TO_SEQ, H.BEGUN_AT, H.LOG_AT, H.NOW,
                COALESCE(H.STATE:snapshot:status::VARCHAR, 'PENDING') AS STATUS,
                H.STATE:snapshot AS SNAPSHOT_DATA,
                COALESCE(H.STATE:runArtifacts, ARRAY_CONSTRUCT()) AS RUN_ARTIFACTS,
                COALESCE(H.STATE:refusals, ARRAY_CONSTRUCT()) AS REFUSALS,
                UTC_INSTANT(H.STATE:snapshot:startedAt::VARCHAR) AS STARTED_AT,
                UTC_INSTANT(H.STATE:snapshot:completedAt::VARCHAR) AS COMPLETED_AT,
                CASE WHEN H.TO_SEQ > H.FROM_SEQ THEN H.NOW ELSE COALESCE(H.PROJECTED_AT, H.NOW) END AS PROJECTED_AT,
                CASE WHEN H.TO_SEQ > H.FROM_SEQ OR H.VERSION < 0 THEN H.VERSION + 1 ELSE H.VERSION END AS VERSION,
                H.STOPPED_BY AS HALTED_BY,
                CASE WHEN H.STOPPED_BY IS NOT NULL THEN H.TO_SEQ + 1 END AS HALTED_AT_SEQ,
                H.STATE:gap:nextSeq::NUMBER(38, 0) AS NEXT_SEQ,
                H.STATE:failure::VARCHAR AS FAILURE,
                CASE WHEN H.STOPPED_BY IS NOT NULL THEN H.ATTEMPTS + 1 ELSE 0 END AS ATTEMPTS,
                COALESCE(H.WAS_HALTED, FALSE) AS WAS_HALTED
            FROM STANDS AS H
        ) AS S
        ON T.RUN_ID = S.RUN_ID
        WHEN MATCHED AND T.LAST_EVENT_SEQ = S.FROM_SEQ THEN
            UPDATE SET
                STATUS = S.STATUS,
                LAST_EVENT_SEQ = S.TO_SEQ,
                SNAPSHOT_DATA = S.SNAPSHOT_DATA,
                RUN_ARTIFACTS = S.RUN_ARTIFACTS,
                REFUSALS = S.REFUSALS,
                BEGUN_AT = COALESCE(S.BEGUN_AT, T.BEGUN_AT),
                STARTED_AT = S.STARTED_AT,
                COMPLETED_AT = S.COMPLETED_AT,
                PROJECTED_AT = S.PROJECTED_AT,
                VERSION = S.VERSION,
                HALTED_BY = S.HALTED_BY,
                HALTED_AT_SEQ = S.HALTED_AT_SEQ,
                NEXT_SEQ = S.NEXT_SEQ,
                FAILURE = S.FAILURE,
                ATTEMPTS = S.ATTEMPTS,
                TRIED_AT = S.NOW,
                WAS_HALTED = S.WAS_HALTED
        WHEN NOT MATCHED THEN
            INSERT (
                RUN_ID, TENANT_ID, STATUS, LAST_EVENT_SEQ, SNAPSHOT_DATA, RUN_ARTIFACTS, REFUSALS, BEGUN_AT, STARTED_AT,
                COMPLETED_AT, PROJECTED_AT, VERSION, HALTED_BY, HALTED_AT_SEQ, NEXT_SEQ, FAILURE, ATTEMPTS, TRIED_AT,
                WAS_HALTED, REPORTED_SEQ
            )
            VALUES (
                S.RUN_ID, S.TENANT_ID, S.STATUS, S.TO_SEQ, S.SNAPSHOT_DATA, S.RUN_ARTIFACTS, S.REFUSALS,
                COALESCE(S.BEGUN_AT, S.LOG_AT), S.STARTED_AT, S.COMPLETED_AT, S.PROJECTED_AT, S.VERSION, S.HALTED_BY,
                S.HALTED_AT_SEQ, S.NEXT_SEQ, S.FAILURE, S.ATTEMPTS, S.NOW, S.WAS_HALTED, 0
            );
        V_ROWS := SQLROWCOUNT;

        IF (COALESCE(V_ROWS, -1) <> V_LEFT) THEN
            CALL RAISE_ERROR(
                '40001', 'another projector moved a run meanwhile',
                'Call again: it goes on from where the other left off.'
            );
        END IF;

        SELECT
            COUNT_IF(N.HALTED_BY IS NOT NULL),
            COUNT_IF(N.WAS_HALTED),
            COALESCE(SUM(ARRAY_SIZE(N.REFUSALS)::NUMBER(38, 0)), 0),
            COUNT_IF(N.HALTED_BY IS NULL AND N.LAST_EVENT_SEQ >= C.LAST_SEQ)
        INTO :V_HALTED, :V_WERE_HALTED, :V_REFUSED, :V_AT_END
        FROM RUN_SNAPSHOTS AS N
        INNER JOIN RUN_COUNTERS AS C ON N.RUN_ID = C.RUN_ID
        WHERE N.RUN_ID IN (SELECT R.VALUE::VARCHAR FROM TABLE(FLATTEN(INPUT => :V_RUNS)) AS R);

        V_IS_FIRST := FALSE;
        V_CAUGHT_UP := V_CAUGHT_UP + V_AT_END;

        IF (V_HALTED + V_WERE_HALTED + V_REFUSED > 0) THEN
            CALL ALERT_PROJECTION(:V_RUNS);
        END IF;
    END LOOP;

    RETURN V_CAUGHT_UP;
END;
$$;
