-- The version of the installed schema, equal to the version of the package that carries it.
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
