-- Appends a JSON array of events, of any number of runs, all or nothing, and answers with one row per element in input
-- order.
-- depends: 0033.append_event_json

CREATE OR REPLACE PROCEDURE APPEND_EVENTS(P_EVENTS VARIANT)
COPY GRANTS
RETURNS TABLE (
    EVENT_ID VARCHAR, RUN_SEQ NUMBER(38, 0), PERSISTED_AT TIMESTAMP_NTZ(6), IDEMPOTENT BOOLEAN, PERSISTED BOOLEAN
)
LANGUAGE SQL
COMMENT = 'Appends a JSON array of events, all or nothing; one answer per element, in input order.'
EXECUTE AS OWNER
AS
$$
DECLARE
    V_PLAN VARIANT DEFAULT NULL;
BEGIN
    CALL STORE_EVENTS(:P_EVENTS, TRUE) INTO :V_PLAN;

    LET V_ANSWER RESULTSET := (
        SELECT
            F.VALUE:eventId::VARCHAR AS EVENT_ID,
            F.VALUE:runSeq::NUMBER(38, 0) AS RUN_SEQ,
            UTC_INSTANT(F.VALUE:persistedAt::VARCHAR)::TIMESTAMP_NTZ(6) AS PERSISTED_AT,
            NOT A.VALUE:isNew::BOOLEAN AS IDEMPOTENT,
            A.VALUE:isNew::BOOLEAN AS PERSISTED
        FROM TABLE(FLATTEN(INPUT => :V_PLAN)) AS A
        INNER JOIN TABLE(FLATTEN(INPUT => :V_PLAN)) AS F ON A.VALUE:firstIndex::NUMBER(38, 0) = F.INDEX
        ORDER BY A.INDEX
    );
    RETURN TABLE(V_ANSWER);
END;
$$;
