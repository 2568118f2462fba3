-- Closes an alert, acknowledged or not; the first resolution stands, and a later occurrence opens a new alert.
-- depends: 0053.ack_alert

CREATE OR REPLACE PROCEDURE RESOLVE_ALERT(P_ALERT_ID VARCHAR)
COPY GRANTS
RETURNS BOOLEAN
LANGUAGE SQL
COMMENT = 'Closes an alert. RS010 when there is no such alert.'
EXECUTE AS OWNER
AS
$$
DECLARE
    V_ROWS NUMBER DEFAULT 0;
    V_MESSAGE VARCHAR DEFAULT NULL;
BEGIN
    UPDATE ALERTS
    SET RESOLVED_AT = COALESCE(RESOLVED_AT, CLOCK())
    WHERE ALERT_ID = :P_ALERT_ID AND RUN_ID IN (SELECT R.RUN_ID FROM VISIBLE_RUNS AS R);
    V_ROWS := SQLROWCOUNT;

    IF (COALESCE(V_ROWS, 0) = 0) THEN
        V_MESSAGE := 'alertId ' || COALESCE('"' || LEFT(P_ALERT_ID, 100) || '"', 'NULL') || ' is no alert';
        CALL RAISE_ERROR(
            'RS010', :V_MESSAGE, 'Take the id from LIST_ALERTS.', 'alertId', :P_ALERT_ID, 'the id of an alert'
        );
    END IF;

    RETURN TRUE;
END;
$$;
