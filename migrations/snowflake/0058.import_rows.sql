-- Where IMPORT_EVENTS puts the rows of a CSV or Parquet file as they are: the columns of event_record, in its order, as
-- text.
-- depends: 0057.import_stage

CREATE TABLE IF NOT EXISTS IMPORT_ROWS (
    RUN_ID VARCHAR COMMENT 'As in RUN_EVENTS, as the file has it.',
    RUN_SEQ VARCHAR COMMENT 'As in RUN_EVENTS, as the file has it.',
    EVENT_ID VARCHAR COMMENT 'As in RUN_EVENTS, as the file has it.',
    EVENT_TYPE VARCHAR COMMENT 'As in RUN_EVENTS, as the file has it.',
    STEP_ID VARCHAR COMMENT 'As in RUN_EVENTS, as the file has it.',
    ENGINE_ATTEMPT_ID VARCHAR COMMENT 'As in RUN_EVENTS, as the file has it.',
    LOGICAL_ATTEMPT_ID VARCHAR COMMENT 'As in RUN_EVENTS, as the file has it.',
    TENANT_ID VARCHAR COMMENT 'As in RUN_EVENTS, as the file has it.',
    PROJECT_ID VARCHAR COMMENT 'As in RUN_EVENTS, as the file has it.',
    ENVIRONMENT_ID VARCHAR COMMENT 'As in RUN_EVENTS, as the file has it.',
    PLAN_ID VARCHAR COMMENT 'As in RUN_EVENTS, as the file has it.',
    PLAN_VERSION VARCHAR COMMENT 'As in RUN_EVENTS, as the file has it.',
    IDEMPOTENCY_KEY VARCHAR COMMENT 'As in RUN_EVENTS, as the file has it.',
    PAYLOAD VARCHAR COMMENT 'As in RUN_EVENTS, as the file has it.',
    EMITTED_AT VARCHAR COMMENT 'As in RUN_EVENTS, as the file has it.',
    PERSISTED_AT VARCHAR COMMENT 'As in RUN_EVENTS, as the file has it.',
    ADAPTER_VERSION VARCHAR COMMENT 'As in RUN_EVENTS, as the file has it.',
    ENGINE_RUN_REF VARCHAR COMMENT 'As in RUN_EVENTS, as the file has it.',
    CAUSED_BY_SIGNAL_ID VARCHAR COMMENT 'As in RUN_EVENTS, as the file has it.',
    PARENT_EVENT_ID VARCHAR COMMENT 'As in RUN_EVENTS, as the file has it.'
)
COMMENT = 'The rows of an imported file, as text.';
