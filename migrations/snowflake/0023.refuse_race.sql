-- Refuses a call whose run another session moved meanwhile (40001 APPEND_RACED): the caller has found fewer rows
-- written than it planned, and rolls back.
-- depends: 0022.check_events

CREATE OR REPLACE PROCEDURE REFUSE_RACE()
COPY GRANTS
RETURNS VARCHAR
LANGUAGE SQL
COMMENT = 'Raises APPEND_RACED: another session moved a run meanwhile.'
EXECUTE AS OWNER
AS
$$
BEGIN
    CALL RAISE_ERROR(
        '40001', 'another session moved a run meanwhile, and nothing was stored', 'Send the same call again.'
    );
END;
$$;
