-- The store's time, in UTC: all time that the store stamps comes from here. Reads no setting, which a session could
-- change; tests replace the function.
CREATE OR REPLACE FUNCTION CLOCK()
COPY GRANTS
RETURNS TIMESTAMP_NTZ(6)
LANGUAGE SQL
VOLATILE
COMMENT = 'The store''s time, in UTC.'
AS
$$
    SYSDATE()::TIMESTAMP_NTZ(6)
$$;
