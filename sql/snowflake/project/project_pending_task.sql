-- The task that projects: calls PROJECT_PENDING every minute, on compute that Snowflake sizes and bills by the second.
-- It is created suspended, because it costs credits from its first minute on: ALTER TASK PROJECT_PENDING_TASK RESUME
-- starts it. A run that is still going when the next is due is not started twice.
CREATE TASK IF NOT EXISTS PROJECT_PENDING_TASK
    USER_TASK_MANAGED_INITIAL_WAREHOUSE_SIZE = 'XSMALL'
    SCHEDULE = '1 MINUTE'
    ALLOW_OVERLAPPING_EXECUTION = FALSE
    COMMENT = 'Projects the runs that have new events.'
AS
    CALL PROJECT_PENDING(1000);
