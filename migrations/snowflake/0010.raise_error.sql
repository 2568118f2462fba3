-- The one way to raise an error: an exception whose message is a JSON object of code, name, message, field, value,
-- expected, index, retryAfterMs and hint, those that apply.
-- depends: 0009.version

CREATE OR REPLACE PROCEDURE RAISE_ERROR(
    P_CODE VARCHAR,
    P_MESSAGE VARCHAR,
    P_HINT VARCHAR,
    P_FIELD VARCHAR DEFAULT NULL,
    P_VALUE VARCHAR DEFAULT NULL,
    P_EXPECTED VARCHAR DEFAULT NULL,
    P_INDEX NUMBER DEFAULT NULL,
    P_RETRY_AFTER_MS NUMBER DEFAULT NULL
)
COPY GRANTS
RETURNS VARCHAR
LANGUAGE SQL
COMMENT = 'Raises a runstore error, whose message is a JSON object.'
EXECUTE AS OWNER
AS
$$
DECLARE
    V_BLOCK VARCHAR DEFAULT NULL;
BEGIN
    SELECT
        'DECLARE REFUSED EXCEPTION (' || E.EXCEPTION_NUMBER::VARCHAR || ', ' || CHR(39)
        || REPLACE(REPLACE(E.MESSAGE, CHR(92), CHR(92) || CHR(92)), CHR(39), CHR(39) || CHR(39))
        || CHR(39) || '); BEGIN RAISE REFUSED; END;'
    INTO :V_BLOCK
    FROM (
        SELECT
            MAX(C.EXCEPTION_NUMBER) AS EXCEPTION_NUMBER,
            TO_JSON(OBJECT_CONSTRUCT(
                'code', :P_CODE,
                'name', MAX(C.NAME),
                'message', MAX(C.NAME) || ': ' || :P_MESSAGE,
                'field', :P_FIELD,
                'value', LEFT(:P_VALUE, 100),
                'expected', :P_EXPECTED,
                'index', :P_INDEX,
                'retryAfterMs', :P_RETRY_AFTER_MS,
                'hint', :P_HINT
            )) AS MESSAGE
        FROM ERROR_CODES AS C
        WHERE C.CODE = :P_CODE
    ) AS E;

    EXECUTE IMMEDIATE :V_BLOCK;
END;
$$;
