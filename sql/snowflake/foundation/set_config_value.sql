-- Changes one setting of the store; calls that begin afterwards use the new value. RS010 for an unknown key or a value
-- that does not fit. One UPDATE of one row, committed at once.
CREATE OR REPLACE PROCEDURE SET_CONFIG_VALUE(P_KEY VARCHAR, P_VALUE VARCHAR)
COPY GRANTS
RETURNS BOOLEAN
LANGUAGE SQL
COMMENT = 'Changes one setting of the store. RS010 for an unknown key or a value that does not fit.'
EXECUTE AS OWNER
AS
$$
DECLARE
    V_KEYS VARCHAR DEFAULT NULL;
    V_IS_KEY BOOLEAN DEFAULT FALSE;
    V_LEAST NUMBER DEFAULT NULL;
    V_MOST NUMBER DEFAULT NULL;
    V_NUMBER NUMBER DEFAULT NULL;
    V_MESSAGE VARCHAR DEFAULT NULL;
    V_EXPECTED VARCHAR DEFAULT NULL;
BEGIN
    SELECT
        LISTAGG(K.KEY, ', ') WITHIN GROUP (ORDER BY K.KEY),
        COUNT_IF(K.KEY = :P_KEY) > 0,
        MAX(CASE WHEN K.KEY = :P_KEY THEN K.MIN_VALUE END),
        MAX(CASE WHEN K.KEY = :P_KEY THEN K.MAX_VALUE END),
        CASE WHEN REGEXP_LIKE(:P_VALUE, '[0-9]{1,9}') THEN TRY_TO_NUMBER(:P_VALUE) END
    INTO :V_KEYS, :V_IS_KEY, :V_LEAST, :V_MOST, :V_NUMBER
    FROM CONFIG_KEYS AS K;

    IF (NOT V_IS_KEY) THEN
        V_MESSAGE := 'key ' || COALESCE('"' || LEFT(P_KEY, 100) || '"', 'NULL') || ' is no setting';
        CALL RAISE_ERROR(
            'RS010', :V_MESSAGE, 'Use one of the keys named under "expected".', 'key', :P_KEY, :V_KEYS
        );
    END IF;

    IF (NOT COALESCE(V_NUMBER >= V_LEAST AND V_NUMBER <= V_MOST, FALSE)) THEN
        V_MESSAGE := 'value ' || COALESCE('"' || LEFT(P_VALUE, 100) || '"', 'NULL') || ' does not fit ' || P_KEY;
        V_EXPECTED := 'a whole number from ' || V_LEAST::VARCHAR || ' to ' || V_MOST::VARCHAR;
        CALL RAISE_ERROR(
            'RS010', :V_MESSAGE, 'Give a value of the kind named under "expected".', 'value', :P_VALUE, :V_EXPECTED
        );
    END IF;

    UPDATE CONFIG
    SET
        MAX_PAYLOAD_BYTES = CASE :P_KEY WHEN 'max_payload_bytes' THEN :V_NUMBER ELSE MAX_PAYLOAD_BYTES END,
        MAX_SIGNAL_BYTES = CASE :P_KEY WHEN 'max_signal_bytes' THEN :V_NUMBER ELSE MAX_SIGNAL_BYTES END,
        MAX_SIGNALS_PER_MINUTE = CASE :P_KEY
            WHEN 'max_signals_per_minute' THEN :V_NUMBER ELSE MAX_SIGNALS_PER_MINUTE
        END;

    RETURN TRUE;
END;
$$;
