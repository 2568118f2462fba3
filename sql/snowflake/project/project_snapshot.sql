-- Brings a run's snapshot up to the end of its log, stores it and returns it. Where a gap or a failure holds the run
-- up, the snapshot is the last good one, with stale: true, and an alert is raised. RS012 for an unknown run. Its own
-- transaction; locks are those of LOCK_PROJECTION, cost that of PROJECT_RUNS, and two statements more.
CREATE OR REPLACE PROCEDURE PROJECT_SNAPSHOT(P_RUN_ID VARCHAR)
COPY GRANTS
RETURNS VARIANT
LANGUAGE SQL
COMMENT = 'Brings a run''s snapshot up to the end of its log and returns it. RS012 for an unknown run.'
EXECUTE AS OWNER
AS
$$
DECLARE
    V_RUNS VARIANT DEFAULT NULL;
    V_SNAPSHOT VARIANT DEFAULT NULL;
BEGIN
    CALL CHECK_RUN(:P_RUN_ID);
    SELECT ARRAY_CONSTRUCT(:P_RUN_ID) INTO :V_RUNS;

    BEGIN
        BEGIN TRANSACTION;
        CALL LOCK_PROJECTION();
        CALL PROJECT_RUNS(:V_RUNS);
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
