-- The stored snapshot of a run; null when there is none, or when the run is not the tenant's that the session's login
-- is bound to.
-- depends: 0044.reset_projection

CREATE OR REPLACE PROCEDURE GET_SNAPSHOT(P_RUN_ID VARCHAR)
COPY GRANTS
RETURNS VARIANT
LANGUAGE SQL
COMMENT = 'The stored snapshot of a run, null when there is none.'
EXECUTE AS OWNER
AS
$$
DECLARE
    V_SNAPSHOT VARIANT DEFAULT NULL;
BEGIN
    SELECT
        ANY_VALUE(OBJECT_INSERT(
            OBJECT_INSERT(N.SNAPSHOT_DATA, 'stale', N.HALTED_BY IS NOT NULL), 'projectedAt', UTC_TEXT(N.PROJECTED_AT)
        ))
    INTO :V_SNAPSHOT
    FROM RUN_SNAPSHOTS AS N
    INNER JOIN VISIBLE_RUNS AS R ON N.RUN_ID = R.RUN_ID
    WHERE N.RUN_ID = :P_RUN_ID;

    RETURN V_SNAPSHOT;
END;
$$;
