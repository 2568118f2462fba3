-- The task that projects: calls PROJECT_PENDING every minute, on compute that Snowflake sizes and bills by the second.
-- depends: 0049.resync_run

CREATE TASK IF NOT EXISTS PROJECT_PENDING_TASK
    USER_TASK_MANAGED_INITIAL_WAREHOUSE_SIZE = 'XSMALL'
    SCHEDULE = '1 MINUTE'
    ALLOW_OVERLAPPING_EXECUTION = FALSE
    COMMENT = 'Projects the runs that have new events.'
AS
    CALL PROJECT_PENDING(1000);
