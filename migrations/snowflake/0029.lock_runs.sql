-- Takes the lock of the log for the caller's transaction, and waits for it.
-- depends: 0028.differing_fields

CREATE OR REPLACE PROCEDURE LOCK_RUNS(P_EVENTS VARIANT)
COPY GRANTS
RETURNS BOOLEAN
LANGUAGE SQL
COMMENT = 'Takes the lock of the log for the caller''s transaction.'
EXECUTE AS OWNER
AS
$$
DECLARE
    V_ROWS NUMBER DEFAULT 0;
    LOCK_IS_GONE EXCEPTION (-20041, 'APPEND_LOCK has to hold one row, and does not: nothing was stored');
BEGIN
    UPDATE APPEND_LOCK SET TIMES_TAKEN = TIMES_TAKEN + 1;
    V_ROWS := SQLROWCOUNT;

    IF (COALESCE(V_ROWS, 0) <> 1) THEN
        RAISE LOCK_IS_GONE;
    END IF;

    RETURN TRUE;
END;
$$;
