-- A time as snapshots show it: RFC 3339, UTC, six fraction digits.
-- depends: 0006.clock

CREATE OR REPLACE FUNCTION UTC_TEXT(P_TIME TIMESTAMP_NTZ)
COPY GRANTS
RETURNS VARCHAR
LANGUAGE SQL
IMMUTABLE
COMMENT = 'A time as RFC 3339 text in UTC with six fraction digits.'
AS
$$
    TO_VARCHAR(P_TIME, 'YYYY-MM-DD"T"HH24:MI:SS.FF6"Z"')
$$;
