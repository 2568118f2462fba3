-- The idempotency key that an append computes when none is given, as 64 lower-case hex digits: the same text, and so
-- the same key, as on PostgreSQL. It computes without validating, and returns null when any argument but the step id is
-- null. One expression, inlined into the calling query.
CREATE OR REPLACE FUNCTION IDEMPOTENCY_KEY(
    P_RUN_ID VARCHAR,
    P_STEP_ID VARCHAR,
    P_LOGICAL_ATTEMPT_ID NUMBER,
    P_EVENT_TYPE VARCHAR,
    P_PLAN_ID VARCHAR,
    P_PLAN_VERSION VARCHAR
)
COPY GRANTS
RETURNS VARCHAR
LANGUAGE SQL
IMMUTABLE
COMMENT = 'SHA-256 in lower-case hex of runId|stepId or RUN|logicalAttemptId|eventType|planId|planVersion.'
AS
$$
    SHA2(
        P_RUN_ID || '|' || COALESCE(P_STEP_ID, 'RUN') || '|' || P_LOGICAL_ATTEMPT_ID::NUMBER(38, 0)::VARCHAR || '|'
        || P_EVENT_TYPE || '|' || P_PLAN_ID || '|' || P_PLAN_VERSION,
        256
    )
$$;
