-- The time that UTC_TEXT writes as a text. Independent of the session's formats.
CREATE OR REPLACE FUNCTION UTC_INSTANT(P_TEXT VARCHAR)
COPY GRANTS
RETURNS TIMESTAMP_NTZ(6)
LANGUAGE SQL
IMMUTABLE
COMMENT = 'The time that a text of UTC_TEXT stands for.'
AS
$$
    TO_TIMESTAMP_NTZ(P_TEXT, 'YYYY-MM-DD"T"HH24:MI:SS.FF6"Z"')
$$;
