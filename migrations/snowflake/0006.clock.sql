-- The store's time, in UTC: all time that the store stamps comes from here.
-- depends: 0005.session_tenants

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
