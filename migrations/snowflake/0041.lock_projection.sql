-- Takes the lock of the projection for the caller's transaction, and waits for it: the one row of PROJECTION_LOCK.
-- depends: 0040.fold_events

CREATE OR REPLACE PROCEDURE LOCK_PROJECTION()
COPY GRANTS
RETURNS BOOLEAN
LANGUAGE SQL
COMMENT = 'Takes the lock of the projection for the caller''s transaction.'
EXECUTE AS OWNER
AS
$$
DECLARE
    V_ROWS NUMBER DEFAULT 0;
    LOCK_IS_GONE EXCEPTION (-20042, 'PROJECTION_LOCK has to hold one row, and does not: nothing was projected');
BEGIN
    UPDATE PROJECTION_LOCK SET TIMES_TAKEN = TIMES_TAKEN + 1;
    V_ROWS := SQLROWCOUNT;

    IF (COALESCE(V_ROWS, 0) <> 1) THEN
        RAISE LOCK_IS_GONE;
    END IF;

    RETURN TRUE;
END;
$$;
