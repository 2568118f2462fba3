-- The same as APPEND_EVENT with arguments, for one RunEventWrite in its camelCase JSON form: the same answer, the same
-- refusals, the same locks. RS001 for null, for what is no object, and for keys that are unknown or the authority's.
CREATE OR REPLACE PROCEDURE APPEND_EVENT(P_EVENT VARIANT)
COPY GRANTS
RETURNS TABLE (
    EVENT_ID VARCHAR, RUN_SEQ NUMBER(38, 0), PERSISTED_AT TIMESTAMP_NTZ(6), IDEMPOTENT BOOLEAN, PERSISTED BOOLEAN
)
LANGUAGE SQL
COMMENT = 'Appends one event given as a JSON object with the fields of RunEventWrite in camelCase.'
EXECUTE AS OWNER
AS
$$
DECLARE
    V_EVENTS VARIANT DEFAULT NULL;
    V_PLAN VARIANT DEFAULT NULL;
BEGIN
    SELECT ARRAY_CONSTRUCT(:P_EVENT) INTO :V_EVENTS;

    CALL STORE_EVENTS(:V_EVENTS, FALSE) INTO :V_PLAN;

    LET V_ANSWER RESULTSET := (
        SELECT
            A.VALUE:eventId::VARCHAR AS EVENT_ID,
            A.VALUE:runSeq::NUMBER(38, 0) AS RUN_SEQ,
            UTC_INSTANT(A.VALUE:persistedAt::VARCHAR)::TIMESTAMP_NTZ(6) AS PERSISTED_AT,
            NOT A.VALUE:isNew::BOOLEAN AS IDEMPOTENT,
            A.VALUE:isNew::BOOLEAN AS PERSISTED
        FROM TABLE(FLATTEN(INPUT => :V_PLAN)) AS A
    );
    RETURN TABLE(V_ANSWER);
END;
$$;
