-- Every stored event as FOLD_EVENTS takes it: of the payload, what a fold can use.
-- depends: 0038.run_snapshots

CREATE OR REPLACE VIEW FOLDABLE_EVENTS
COPY GRANTS
COMMENT = 'Every stored event as FOLD_EVENTS takes it.'
AS
SELECT
    E.RUN_ID,
    E.RUN_SEQ,
    E.PERSISTED_AT,
    OBJECT_CONSTRUCT(
        'runSeq', E.RUN_SEQ,
        'eventId', E.EVENT_ID,
        'eventType', E.EVENT_TYPE,
        'stepId', E.STEP_ID,
        'engineAttemptId', E.ENGINE_ATTEMPT_ID,
        'logicalAttemptId', E.LOGICAL_ATTEMPT_ID,
        'emittedAt', UTC_TEXT(E.EMITTED_AT),
        'engineRunRef', E.ENGINE_RUN_REF,
        'artifactRefs', E.PAYLOAD:artifactRefs,
        'error', E.PAYLOAD:error,
        'reason', E.PAYLOAD:reason
    ) AS EVENT,
    300 + COALESCE(LENGTH(TO_JSON(E.PAYLOAD)), 0) + COALESCE(LENGTH(TO_JSON(E.ENGINE_RUN_REF)), 0) AS SIZE
FROM LOGGED_EVENTS AS E;
