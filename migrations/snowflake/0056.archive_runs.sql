-- Moves whole runs that have ended from the log to the archive, the oldest first, and answers with how many.
-- depends: 0055.verify_run

CREATE OR REPLACE PROCEDURE ARCHIVE_RUNS(P_OLDER_THAN_DAYS NUMBER DEFAULT 90, P_LIMIT NUMBER DEFAULT 1000)
COPY GRANTS
RETURNS NUMBER
LANGUAGE SQL
COMMENT = 'Moves whole runs that ended long ago from the log to the archive; answers with how many.'
EXECUTE AS OWNER
AS
$$
DECLARE
    V_DAYS NUMBER DEFAULT COALESCE(P_OLDER_THAN_DAYS, 90);
    V_LIMIT NUMBER DEFAULT COALESCE(P_LIMIT, 1000);
    V_SHOWN VARCHAR DEFAULT NULL;
    V_MESSAGE VARCHAR DEFAULT NULL;
    V_RUNS VARIANT DEFAULT NULL;
    V_SIZE NUMBER DEFAULT 0;
    V_EVENTS NUMBER DEFAULT 0;
    V_COPIED NUMBER DEFAULT 0;
    V_REMOVED NUMBER DEFAULT 0;
    V_MARKED NUMBER DEFAULT 0;
BEGIN
    IF (V_DAYS < 0 OR V_DAYS > 36500) THEN
        V_SHOWN := V_DAYS::VARCHAR;
        V_MESSAGE := 'olderThanDays ' || V_SHOWN || ' is refused: expected 0 to 36500';
        CALL RAISE_ERROR(
            'RS010', :V_MESSAGE, 'Give the age of the runs to archive in days.', 'olderThanDays', :V_SHOWN,
            'a whole number from 0 to 36500'
        );
    END IF;

    IF (V_LIMIT < 1 OR V_LIMIT > 10000) THEN
        V_SHOWN := V_LIMIT::VARCHAR;
        V_MESSAGE := 'limit ' || V_SHOWN || ' is refused: expected 1 to 10000';
        CALL RAISE_ERROR(
            'RS010', :V_MESSAGE, 'Archive at most 10000 runs at a time, and call again until the answer is 0.', 'limit',
            :V_SHOWN, 'a whole number from 1 to 10000'
        );
    END IF;

    SELECT
        ARRAY_AGG(OBJECT_CONSTRUCT(
            'runId', D.RUN_ID,
            'tenantId', D.TENANT_ID,
            'projectId', D.PROJECT_ID,
            'environmentId', D.ENVIRONMENT_ID,
            'lastSeq', D.LAST_SEQ
        )) WITHIN GROUP (ORDER BY D.RUN_ID),
        COUNT(*),
        COALESCE(SUM(D.LAST_SEQ::NUMBER(38, 0)), 0)
    INTO :V_RUNS, :V_SIZE, :V_EVENTS
    FROM (
        SELECT R.RUN_ID, R.TENANT_ID, R.PROJECT_ID, R.ENVIRONMENT_ID, R.LAST_SEQ
        FROM RUN_COUNTERS AS R
        INNER JOIN RUN_SNAPSHOTS AS N ON R.RUN_ID = N.RUN_ID AND R.LAST_SEQ = N.LAST_EVENT_SEQ
        INNER JOIN (
            SELECT
                E.RUN_ID,
                COUNT(*) AS EVENTS,
                COUNT(DISTINCT E.RUN_SEQ) AS PLACES,
                MIN(CASE WHEN E.EVENT_TYPE IN ('RunCompleted', 'RunFailed', 'RunCancelled') THEN E.PERSISTED_AT END)
                    AS ENDED_AT
            FROM RUN_EVENTS AS E
            WHERE
                E.RUN_ID IN (
                    SELECT S.RUN_ID FROM RUN_SNAPSHOTS AS S WHERE S.STATUS IN ('COMPLETED', 'FAILED', 'CANCELLED')
                )
            GROUP BY E.RUN_ID
        ) AS E ON R.RUN_ID = E.RUN_ID AND R.LAST_SEQ = E.EVENTS AND R.LAST_SEQ = E.PLACES
        WHERE
            R.ARCHIVED_AT IS NULL
            AND N.STATUS IN ('COMPLETED', 'FAILED', 'CANCELLED')
            AND N.HALTED_BY IS NULL
            AND E.ENDED_AT < DATEADD('day', -:V_DAYS, CLOCK())
        QUALIFY ROW_NUMBER() OVER (ORDER BY E.ENDED_AT, R.RUN_ID) <= :V_LIMIT
    ) AS D;

    IF (V_SIZE = 0) THEN
        RETURN 0;
    END IF;

    BEGIN
        BEGIN TRANSACTION;
        CALL LOCK_RUNS(:V_RUNS);

        MERGE INTO RUN_COUNTERS AS T
        USING (
            SELECT
                R.VALUE:runId::VARCHAR AS RUN_ID,
                R.VALUE:lastSeq::NUMBER(38, 0) AS LAST_SEQ,
                CLOCK() AS NOW
            FROM TABLE(FLATTEN(INPUT => :V_RUNS)) AS R
        ) AS S
        ON T.RUN_ID = S.RUN_ID
        WHEN MATCHED AND T.LAST_SEQ = S.LAST_SEQ AND T.ARCHIVED_AT IS NULL THEN UPDATE SET ARCHIVED_AT = S.NOW;
        V_MARKED := SQLROWCOUNT;

        INSERT INTO RUN_EVENTS_ARCHIVE (
            RUN_ID, RUN_SEQ, EVENT_ID, EVENT_TYPE, STEP_ID, ENGINE_ATTEMPT_ID, LOGICAL_ATTEMPT_ID, TENANT_ID,
            PROJECT_ID, ENVIRONMENT_ID, PLAN_ID, PLAN_VERSION, IDEMPOTENCY_KEY, PAYLOAD, EMITTED_AT, PERSISTED_AT,
            ADAPTER_VERSION, ENGINE_RUN_REF, CAUSED_BY_SIGNAL_ID, PARENT_EVENT_ID
        )
        SELECT
            E.RUN_ID, E.RUN_SEQ, E.EVENT_ID, E.EVENT_TYPE, E.STEP_ID, E.ENGINE_ATTEMPT_ID, E.LOGICAL_ATTEMPT_ID,
            E.TENANT_ID, E.PROJECT_ID, E.ENVIRONMENT_ID, E.PLAN_ID, E.PLAN_VERSION, E.IDEMPOTENCY_KEY, E.PAYLOAD,
            E.EMITTED_AT, E.PERSISTED_AT, E.ADAPTER_VERSION, E.ENGINE_RUN_REF, E.CAUSED_BY_SIGNAL_ID, E.PARENT_EVENT_ID
        FROM RUN_EVENTS AS E
        WHERE E.RUN_ID IN (SELECT R.VALUE:runId::VARCHAR FROM TABLE(FLATTEN(INPUT => :V_RUNS)) AS R);
        V_COPIED := SQLROWCOUNT;

        DELETE FROM RUN_EVENTS
        WHERE RUN_ID IN (SELECT R.VALUE:runId::VARCHAR FROM TABLE(FLATTEN(INPUT => :V_RUNS)) AS R);
        V_REMOVED := SQLROWCOUNT;

        IF (
            COALESCE(V_MARKED, -1) <> V_SIZE OR COALESCE(V_COPIED, -1) <> V_EVENTS
            OR COALESCE(V_REMOVED, -1) <> V_EVENTS
        ) THEN
            CALL RAISE_ERROR(
                '40001', 'a run moved while it was archived, and nothing was archived', 'Send the same call again.'
            );
        END IF;

        COMMIT;
    EXCEPTION
        WHEN OTHER THEN
            ROLLBACK;
            RAISE;
    END;

    RETURN V_SIZE;
END;
$$;
