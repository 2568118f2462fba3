-- A page of runs, the newest first, of one tenant, of one status, or of all; as far as they have been projected. To go
-- on, give the cursor of the last row: runs that are new or change their status meanwhile neither repeat nor hide
-- others. A login that is bound to tenants sees theirs only, and gets RS013 when it names another. RS010 for a status
-- or cursor that is none, or a limit outside 1 to 10000. Two SELECTs; locks nothing, reads the snapshots' columns but
-- for the JSON.
CREATE OR REPLACE PROCEDURE LIST_RUNS(
    P_TENANT_ID VARCHAR DEFAULT NULL,
    P_STATUS VARCHAR DEFAULT NULL,
    P_LIMIT NUMBER DEFAULT 100,
    P_CURSOR VARCHAR DEFAULT NULL
)
COPY GRANTS
RETURNS TABLE (
    RUN_ID VARCHAR,
    TENANT_ID VARCHAR,
    PROJECT_ID VARCHAR,
    ENVIRONMENT_ID VARCHAR,
    STATUS VARCHAR,
    LAST_EVENT_SEQ NUMBER(38, 0),
    BEGUN_AT TIMESTAMP_NTZ(6),
    STARTED_AT TIMESTAMP_NTZ(6),
    COMPLETED_AT TIMESTAMP_NTZ(6),
    CONSISTENCY VARCHAR,
    STALE BOOLEAN,
    PROJECTED_AT TIMESTAMP_NTZ(6),
    "CURSOR" VARCHAR
)
LANGUAGE SQL
COMMENT = 'A page of runs, the newest first, of one tenant, of one status, or of all.'
EXECUTE AS OWNER
AS
$$
DECLARE
    V_LIMIT NUMBER DEFAULT COALESCE(P_LIMIT, 100);
    V_SHOWN VARCHAR DEFAULT NULL;
    V_MESSAGE VARCHAR DEFAULT NULL;
    V_STATUSES VARCHAR DEFAULT 'APPROVED, CANCELLED, COMPLETED, FAILED, PAUSED, PENDING, RUNNING';
    V_IS_STATUS BOOLEAN DEFAULT TRUE;
    V_IS_CURSOR BOOLEAN DEFAULT TRUE;
    V_IS_FOREIGN BOOLEAN DEFAULT FALSE;
    V_BEFORE VARCHAR DEFAULT NULL;
    V_AFTER_RUN VARCHAR DEFAULT NULL;
BEGIN
    IF (V_LIMIT < 1 OR V_LIMIT > 10000) THEN
        V_SHOWN := V_LIMIT::VARCHAR;
        V_MESSAGE := 'limit ' || V_SHOWN || ' is refused: expected 1 to 10000';
        CALL RAISE_ERROR(
            'RS010', :V_MESSAGE, 'Ask for at most 10000 runs at a time, and go on from the last cursor.', 'limit',
            :V_SHOWN, 'a whole number from 1 to 10000'
        );
    END IF;

    SELECT
        :P_STATUS IS NULL OR ARRAY_CONTAINS(TO_VARIANT(:P_STATUS), SPLIT(:V_STATUSES, ', ')),
        :P_CURSOR IS NULL
        OR REGEXP_LIKE(
            :P_CURSOR, '[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}[.][0-9]{6}Z[|][^|]{1,255}', 's'
        ),
        SPLIT_PART(:P_CURSOR, '|', 1),
        SPLIT_PART(:P_CURSOR, '|', 2),
        :P_TENANT_ID IS NOT NULL AND COUNT(*) > 0 AND COUNT_IF(S.TENANT_ID = :P_TENANT_ID) = 0
    INTO :V_IS_STATUS, :V_IS_CURSOR, :V_BEFORE, :V_AFTER_RUN, :V_IS_FOREIGN
    FROM SESSION_TENANTS AS S;

    IF (NOT V_IS_STATUS) THEN
        V_MESSAGE := 'status "' || LEFT(P_STATUS, 100) || '" is no state of a run';
        CALL RAISE_ERROR(
            'RS010', :V_MESSAGE, 'Use one of the states named under "expected", or leave it out.', 'status', :P_STATUS,
            :V_STATUSES
        );
    END IF;

    IF (NOT V_IS_CURSOR) THEN
        V_MESSAGE := 'cursor "' || LEFT(P_CURSOR, 100) || '" is not one that LIST_RUNS gave';
        CALL RAISE_ERROR(
            'RS010', :V_MESSAGE, 'Give the cursor of the last row of the page before, as it is.', 'cursor', :P_CURSOR,
            'the cursor of a row'
        );
    END IF;

    IF (V_IS_FOREIGN) THEN
        V_MESSAGE := 'tenantId "' || LEFT(P_TENANT_ID, 100) || '" is closed to this login';
        CALL RAISE_ERROR(
            'RS013', :V_MESSAGE,
            'Use a login for this tenant, or have an administrator bind this one with bind_login().',
            'tenantId', :P_TENANT_ID, 'a tenant that the login is bound to'
        );
    END IF;

    LET V_PAGE RESULTSET := (
        SELECT
            P.RUN_ID, P.TENANT_ID, P.PROJECT_ID, P.ENVIRONMENT_ID, P.STATUS, P.LAST_EVENT_SEQ, P.BEGUN_AT, P.STARTED_AT,
            P.COMPLETED_AT, P.CONSISTENCY, P.STALE, P.PROJECTED_AT,
            P.BEGUN || '|' || P.RUN_ID AS NEXT_CURSOR
        FROM (
            SELECT
                N.RUN_ID, R.TENANT_ID, R.PROJECT_ID, R.ENVIRONMENT_ID, N.STATUS, N.LAST_EVENT_SEQ, N.BEGUN_AT,
                N.STARTED_AT, N.COMPLETED_AT, N.PROJECTED_AT,
                N.SNAPSHOT_DATA:consistency::VARCHAR AS CONSISTENCY,
                N.HALTED_BY IS NOT NULL AS STALE,
                UTC_TEXT(N.BEGUN_AT) AS BEGUN
            FROM RUN_SNAPSHOTS AS N
            INNER JOIN VISIBLE_RUNS AS R ON N.RUN_ID = R.RUN_ID
            WHERE
                (N.STATUS = :P_STATUS OR :P_STATUS IS NULL)
                AND (R.TENANT_ID = :P_TENANT_ID OR :P_TENANT_ID IS NULL)
        ) AS P
        WHERE :P_CURSOR IS NULL OR P.BEGUN < :V_BEFORE OR P.BEGUN = :V_BEFORE AND P.RUN_ID < :V_AFTER_RUN
        QUALIFY ROW_NUMBER() OVER (ORDER BY P.BEGUN DESC, P.RUN_ID DESC) <= :V_LIMIT
        ORDER BY P.BEGUN DESC, P.RUN_ID DESC
    );
    RETURN TABLE(V_PAGE);
END;
$$;
