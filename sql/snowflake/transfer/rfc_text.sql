-- A time as PostgreSQL prints it (2026-02-16 09:30:00.5+00) in the RFC 3339 form that CHECK_EVENTS reads; a time
-- without an offset is taken for UTC. Computes without validating.
CREATE OR REPLACE FUNCTION RFC_TEXT(P_TEXT VARCHAR)
COPY GRANTS
RETURNS VARCHAR
LANGUAGE SQL
IMMUTABLE
COMMENT = 'A time as PostgreSQL prints it in the RFC 3339 form.'
AS
$$
    CASE
        WHEN ENDSWITH(P_TEXT, 'Z') THEN REPLACE(P_TEXT, ' ', 'T')
        WHEN LEFT(RIGHT(P_TEXT, 3), 1) IN ('+', '-') AND LENGTH(P_TEXT) > 19 THEN REPLACE(P_TEXT, ' ', 'T') || ':00'
        WHEN LEFT(RIGHT(P_TEXT, 6), 1) IN ('+', '-') AND LENGTH(P_TEXT) > 19 THEN REPLACE(P_TEXT, ' ', 'T')
        ELSE REPLACE(P_TEXT, ' ', 'T') || 'Z'
    END
$$;
