-- Refuses the id of a run that does not exist, or is not the tenant's that the session's login is bound to (RS012);
-- both read the same.
-- depends: 0025.refuse_planned

CREATE OR REPLACE PROCEDURE CHECK_RUN(P_RUN_ID VARCHAR)
COPY GRANTS
RETURNS BOOLEAN
LANGUAGE SQL
COMMENT = 'Raises RS012 for a run that is unknown.'
EXECUTE AS OWNER
AS
$$
DECLARE
    V_RUNS NUMBER DEFAULT 0;
    V_MESSAGE VARCHAR DEFAULT NULL;
BEGIN
    SELECT COUNT(*) INTO :V_RUNS FROM VISIBLE_RUNS AS R WHERE R.RUN_ID = :P_RUN_ID;

    IF (V_RUNS = 0) THEN
        V_MESSAGE := 'runId ' || COALESCE('"' || LEFT(P_RUN_ID, 100) || '"', 'NULL') || ' is no run';
        CALL RAISE_ERROR(
            'RS012', :V_MESSAGE, 'Check the id; a run exists from its first event on.', 'runId', :P_RUN_ID,
            'the id of a run'
        );
    END IF;

    RETURN TRUE;
END;
$$;
