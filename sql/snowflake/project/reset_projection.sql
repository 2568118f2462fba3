-- Takes the projection of a run back to nothing, for a fold of its whole log in the same transaction, and answers TRUE;
-- refusals that were reported are not reported again. Where events are missing from the log below the snapshot, the
-- snapshot is kept, is halted, an alert is raised, and the answer is FALSE. The caller holds the projection's lock. Two
-- statements; two more for the alert.
CREATE OR REPLACE PROCEDURE RESET_PROJECTION(P_RUN_ID VARCHAR)
COPY GRANTS
RETURNS BOOLEAN
LANGUAGE SQL
COMMENT = 'Takes the projection of a run back to nothing, unless its log has a gap below the snapshot.'
EXECUTE AS OWNER
AS
$$
DECLARE
    V_STANDS_AT NUMBER DEFAULT 0;
    V_UNBROKEN NUMBER DEFAULT 0;
    V_NEXT_SEQ NUMBER DEFAULT NULL;
    V_RUNS VARIANT DEFAULT NULL;
BEGIN
    SELECT
        COALESCE(MAX(G.LAST_EVENT_SEQ), 0),
        COUNT_IF(G.RUN_SEQ = G.NTH),
        MIN(CASE WHEN G.RUN_SEQ > G.NTH THEN G.RUN_SEQ END),
        ARRAY_CONSTRUCT(:P_RUN_ID)
    INTO :V_STANDS_AT, :V_UNBROKEN, :V_NEXT_SEQ, :V_RUNS
    FROM (
        SELECT
            N.LAST_EVENT_SEQ,
            E.RUN_SEQ,
            ROW_NUMBER() OVER (ORDER BY E.RUN_SEQ) AS NTH
        FROM RUN_SNAPSHOTS AS N
        LEFT JOIN LOGGED_EVENTS AS E ON N.RUN_ID = E.RUN_ID AND N.LAST_EVENT_SEQ >= E.RUN_SEQ
        WHERE N.RUN_ID = :P_RUN_ID
    ) AS G;

    IF (V_UNBROKEN < V_STANDS_AT) THEN
        UPDATE RUN_SNAPSHOTS
        SET
            HALTED_BY = 'GAP',
            HALTED_AT_SEQ = :V_UNBROKEN + 1,
            NEXT_SEQ = :V_NEXT_SEQ,
            REFUSALS = ARRAY_CONSTRUCT(),
            WAS_HALTED = FALSE,
            ATTEMPTS = ATTEMPTS + 1,
            TRIED_AT = CLOCK()
        WHERE RUN_ID = :P_RUN_ID;

        CALL ALERT_PROJECTION(:V_RUNS);

        RETURN FALSE;
    END IF;

    UPDATE RUN_SNAPSHOTS
    SET
        REPORTED_SEQ = GREATEST(REPORTED_SEQ, LAST_EVENT_SEQ),
        LAST_EVENT_SEQ = 0
    WHERE RUN_ID = :P_RUN_ID;

    RETURN TRUE;
END;
$$;
