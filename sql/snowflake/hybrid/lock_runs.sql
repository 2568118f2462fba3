-- Takes the locks of runs for the caller's transaction, and waits for them: their rows in RUN_LOCKS, so that appends to
-- different runs go side by side. A run that is new gets its row here; of two sessions that begin the same run, one
-- waits for the other or gets an error for a key that is there, and sends its call again. P_EVENTS: objects with runId.
-- The caller has begun a transaction and ends it. One MERGE. Two batches that name the same runs can deadlock:
-- Snowflake ends one of them, and its call can be sent again.
CREATE OR REPLACE PROCEDURE LOCK_RUNS(P_EVENTS VARIANT)
COPY GRANTS
RETURNS BOOLEAN
LANGUAGE SQL
COMMENT = 'Takes the locks of runs for the caller''s transaction.'
EXECUTE AS OWNER
AS
$$
BEGIN
    MERGE INTO RUN_LOCKS AS T
    USING (
        SELECT E.VALUE:runId::VARCHAR AS RUN_ID
        FROM TABLE(FLATTEN(INPUT => :P_EVENTS)) AS E
        QUALIFY ROW_NUMBER() OVER (PARTITION BY E.VALUE:runId::VARCHAR ORDER BY E.INDEX) = 1
        ORDER BY E.VALUE:runId::VARCHAR
    ) AS S
    ON T.RUN_ID = S.RUN_ID
    WHEN MATCHED THEN UPDATE SET TIMES_TAKEN = T.TIMES_TAKEN + 1
    WHEN NOT MATCHED THEN INSERT (RUN_ID, TIMES_TAKEN) VALUES (S.RUN_ID, 1);

    RETURN TRUE;
END;
$$;
