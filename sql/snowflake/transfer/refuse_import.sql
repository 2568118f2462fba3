-- Refuses an import for the first row that cannot be taken: P_REFUSAL has its run and place, and as fault the error,
-- the field, its value and what was expected. Never returns.
CREATE OR REPLACE PROCEDURE REFUSE_IMPORT(P_REFUSAL VARIANT)
COPY GRANTS
RETURNS VARCHAR
LANGUAGE SQL
COMMENT = 'Raises the refusal of an imported row.'
EXECUTE AS OWNER
AS
$$
DECLARE
    V_CODE VARCHAR DEFAULT NULL;
    V_MESSAGE VARCHAR DEFAULT NULL;
    V_FIELD VARCHAR DEFAULT NULL;
    V_VALUE VARCHAR DEFAULT NULL;
    V_EXPECTED VARCHAR DEFAULT NULL;
BEGIN
    SELECT
        R.REFUSAL:fault:code::VARCHAR,
        'row of run "' || COALESCE(LEFT(R.REFUSAL:runId::VARCHAR, 100), '') || '" at place '
        || COALESCE(R.REFUSAL:runSeq::VARCHAR, 'unknown') || ': ' || R.REFUSAL:fault:field::VARCHAR || COALESCE(
            ' "' || LEFT(R.REFUSAL:fault:value::VARCHAR, 100) || '"', ''
        ) || ' is refused: expected ' || R.REFUSAL:fault:expected::VARCHAR,
        R.REFUSAL:fault:field::VARCHAR,
        R.REFUSAL:fault:value::VARCHAR,
        R.REFUSAL:fault:expected::VARCHAR
    INTO :V_CODE, :V_MESSAGE, :V_FIELD, :V_VALUE, :V_EXPECTED
    FROM (SELECT :P_REFUSAL AS REFUSAL) AS R;

    CALL RAISE_ERROR(
        :V_CODE, :V_MESSAGE, 'Nothing was imported. Mend the file, or export it again, and import it once more.',
        :V_FIELD, :V_VALUE, :V_EXPECTED
    );
END;
$$;
