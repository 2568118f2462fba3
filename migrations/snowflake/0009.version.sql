-- The version of the installed schema, equal to the version of the package that carries it.
-- depends: 0008.utc_instant

CREATE OR REPLACE FUNCTION VERSION()
COPY GRANTS
RETURNS VARCHAR
LANGUAGE SQL
IMMUTABLE
COMMENT = 'Version of the installed schema.'
AS
$$
    '0.1.0'
$$;
