-- Refuses the element of a plan of STORE_EVENTS that the log or the login does not allow: RS013, RS002, RS008, RS003 or
-- RS006, in the words of PostgreSQL. Outside a batch the refusal has no index. Never returns. One SELECT of what was
-- planned.
CREATE OR REPLACE PROCEDURE REFUSE_PLANNED(P_PLAN VARIANT, P_REFUSED_AT NUMBER, P_IS_BATCH BOOLEAN)
COPY GRANTS
RETURNS VARCHAR
LANGUAGE SQL
COMMENT = 'Raises the refusal of a planned element.'
EXECUTE AS OWNER
AS
$$
DECLARE
    V_CODE VARCHAR DEFAULT NULL;
    V_MESSAGE VARCHAR DEFAULT NULL;
    V_HINT VARCHAR DEFAULT NULL;
    V_FIELD VARCHAR DEFAULT NULL;
    V_VALUE VARCHAR DEFAULT NULL;
    V_EXPECTED VARCHAR DEFAULT NULL;
    V_INDEX NUMBER DEFAULT NULL;
    V_RETRY_AFTER_MS NUMBER DEFAULT NULL;
BEGIN
    SELECT
        R.CODE,
        COALESCE('event ' || R.IDX::VARCHAR || ' of the batch: ', '') || CASE R.CODE
            WHEN 'RS013' THEN 'tenantId "' || R.TENANT_ID || '" is closed to login ' || CURRENT_USER()
            WHEN 'RS002' THEN 'runId "' || R.RUN_ID || '" exists under another tenant, project or environment'
            WHEN 'RS008' THEN 'runId "' || R.RUN_ID || '" is archived'
            WHEN 'RS003' THEN 'eventId "' || R.EVENT_ID || '" is another event of this run'
            WHEN 'RS006' THEN 'runId "' || R.RUN_ID || '" has had its ' || R.MAX_SIGNALS || ' signals for this minute'
        END,
        CASE R.CODE
            WHEN 'RS013' THEN
                'Use a login for this tenant, or have an administrator bind this one with bind_login().'
            WHEN 'RS002' THEN
                'Send the tenant, project and environment of the run''s first event, or choose another run id.'
            WHEN 'RS008' THEN 'Choose another run id; the archived run can still be read.'
            WHEN 'RS003' THEN
                'Give each event an id of its own; a retry sends the idempotency key of the first try.'
            WHEN 'RS006' THEN
                'Send the signal again in ' || R.WAIT_MS || ' ms, with the same idempotency key, and at most '
                || R.MAX_SIGNALS || ' signals of a run in one batch.'
        END,
        CASE R.CODE WHEN 'RS013' THEN 'tenantId' WHEN 'RS003' THEN 'eventId' ELSE 'runId' END,
        CASE R.CODE WHEN 'RS013' THEN R.TENANT_ID WHEN 'RS003' THEN R.EVENT_ID ELSE R.RUN_ID END,
        CASE R.CODE
            WHEN 'RS013' THEN 'a tenant that the login is bound to'
            WHEN 'RS002' THEN 'the tenant, project and environment of the run''s first event'
            WHEN 'RS008' THEN 'a run that is not archived'
            WHEN 'RS003' THEN 'an id that no other event of the run has'
            WHEN 'RS006' THEN 'at most ' || R.MAX_SIGNALS || ' signals per run in any 60 seconds'
        END,
        R.IDX,
        CASE R.CODE WHEN 'RS006' THEN R.WAIT_MS::NUMBER(38, 0) END
    INTO :V_CODE, :V_MESSAGE, :V_HINT, :V_FIELD, :V_VALUE, :V_EXPECTED, :V_INDEX, :V_RETRY_AFTER_MS
    FROM (
        SELECT
            A.VALUE:refusal::VARCHAR AS CODE,
            CASE WHEN :P_IS_BATCH THEN A.VALUE:index::NUMBER(38, 0) END AS IDX,
            LEFT(A.VALUE:runId::VARCHAR, 100) AS RUN_ID,
            LEFT(A.VALUE:tenantId::VARCHAR, 100) AS TENANT_ID,
            A.VALUE:sentId::VARCHAR AS EVENT_ID,
            A.VALUE:maxSignals::VARCHAR AS MAX_SIGNALS,
            A.VALUE:waitMs::NUMBER(38, 0)::VARCHAR AS WAIT_MS
        FROM TABLE(FLATTEN(INPUT => :P_PLAN)) AS A
        WHERE A.INDEX = :P_REFUSED_AT
    ) AS R;

    CALL RAISE_ERROR(
        :V_CODE, :V_MESSAGE, :V_HINT, :V_FIELD, :V_VALUE, :V_EXPECTED, :V_INDEX, :V_RETRY_AFTER_MS
    );
END;
$$;
