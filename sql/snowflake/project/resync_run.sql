-- Makes a run's snapshot anew and returns it: from the whole log (FULL), which also mends a damaged projection, or from
-- the stored snapshot on (FROM_SNAPSHOT). A run that was halted is tried at once. Where events are missing from the log
-- below the stored snapshot, that snapshot is kept, and is stale. RS010 for another mode, RS012 for an unknown run. Its
-- own transaction, so readers see the old snapshot until it is done; locks are those of LOCK_PROJECTION, cost that of
-- PROJECT_RUNS, and four statements more.
CREATE OR REPLACE PROCEDURE RESYNC_RUN(P_RUN_ID VARCHAR, P_MODE VARCHAR DEFAULT 'FULL')
COPY GRANTS
RETURNS VARIANT
LANGUAGE SQL
COMMENT = 'Makes a run''s snapshot anew: FULL from the whole log, FROM_SNAPSHOT from the stored one on.'
EXECUTE AS OWNER
AS
$$
DECLARE
    V_MESSAGE VARCHAR DEFAULT NULL;
    V_RUNS VARIANT DEFAULT NULL;
    V_CAN_BE_FOLDED BOOLEAN DEFAULT TRUE;
    V_SNAPSHOT VARIANT DEFAULT NULL;
BEGIN
    IF (COALESCE(P_MODE, 'FULL') <> 'FULL' AND P_MODE <> 'FROM_SNAPSHOT') THEN
        V_MESSAGE := 'mode "' || LEFT(P_MODE, 100) || '" is no way to resync a run';
        CALL RAISE_ERROR(
            'RS010', :V_MESSAGE, 'Use FULL for the whole log, or FROM_SNAPSHOT for what is new in it.', 'mode', :P_MODE,
            'FULL or FROM_SNAPSHOT'
        );
    END IF;

    CALL CHECK_RUN(:P_RUN_ID);
    SELECT ARRAY_CONSTRUCT(:P_RUN_ID) INTO :V_RUNS;

    BEGIN
        BEGIN TRANSACTION;
        CALL LOCK_PROJECTION();

        IF (COALESCE(P_MODE, 'FULL') = 'FULL') THEN
            CALL RESET_PROJECTION(:P_RUN_ID) INTO :V_CAN_BE_FOLDED;
        END IF;

        IF (V_CAN_BE_FOLDED) THEN
            CALL PROJECT_RUNS(:V_RUNS);
        END IF;

        COMMIT;
    EXCEPTION
        WHEN OTHER THEN
            ROLLBACK;
            RAISE;
    END;

    CALL GET_SNAPSHOT(:P_RUN_ID) INTO :V_SNAPSHOT;
    RETURN V_SNAPSHOT;
END;
$$;
