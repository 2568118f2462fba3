-- The projector's step.
-- depends: 0047.replay_snapshot

CREATE OR REPLACE PROCEDURE PROJECT_PENDING(P_MAX_RUNS NUMBER DEFAULT 100)
COPY GRANTS
RETURNS NUMBER
LANGUAGE SQL
COMMENT = 'The projector''s step: brings up to P_MAX_RUNS waiting snapshots up to date; answers with how many.'
EXECUTE AS OWNER
AS
$$
DECLARE
    V_MAX_RUNS NUMBER DEFAULT COALESCE(P_MAX_RUNS, 100);
    V_SHOWN VARCHAR DEFAULT NULL;
    V_MESSAGE VARCHAR DEFAULT NULL;
    V_RUNS VARIANT DEFAULT NULL;
    V_SIZE NUMBER DEFAULT 0;
    V_CAUGHT_UP NUMBER DEFAULT 0;
BEGIN
    IF (V_MAX_RUNS < 1 OR V_MAX_RUNS > 10000) THEN
        V_SHOWN := V_MAX_RUNS::VARCHAR;
        V_MESSAGE := 'maxRuns ' || V_SHOWN || ' is refused: expected 1 to 10000';
        CALL RAISE_ERROR(
            'RS010', :V_MESSAGE, 'Project at most 10000 runs at a time, and call again until the answer is 0.',
            'maxRuns', :V_SHOWN, 'a whole number from 1 to 10000'
        );
    END IF;

    LOOP
        SELECT
            ARRAY_AGG(D.RUN_ID),
            COUNT(*)
        INTO :V_RUNS, :V_SIZE
        FROM (
            SELECT R.RUN_ID
            FROM VISIBLE_RUNS AS R
            LEFT JOIN RUN_SNAPSHOTS AS N ON R.RUN_ID = N.RUN_ID
            WHERE
                R.ARCHIVED_AT IS NULL
                AND (
                    N.HALTED_BY IS NULL AND R.LAST_SEQ > COALESCE(N.LAST_EVENT_SEQ, 0)
                    OR N.HALTED_BY IS NOT NULL
                    AND N.TRIED_AT <= DATEADD('second', -LEAST(3600, 5 * POWER(2, LEAST(N.ATTEMPTS, 12))), CLOCK())
                )
            QUALIFY ROW_NUMBER() OVER (ORDER BY R.LAST_PERSISTED_AT, R.RUN_ID) <= :V_MAX_RUNS
        ) AS D;

        IF (V_SIZE = 0) THEN
            BREAK;
        END IF;

        BEGIN
            BEGIN TRANSACTION;
            CALL LOCK_PROJECTION();
            CALL PROJECT_RUNS(:V_RUNS) INTO :V_CAUGHT_UP;
            COMMIT;
        EXCEPTION
            WHEN OTHER THEN
                ROLLBACK;
                RAISE;
        END;

        IF (V_CAUGHT_UP > 0) THEN
            BREAK;
        END IF;
    END LOOP;

    RETURN V_CAUGHT_UP;
END;
$$;
