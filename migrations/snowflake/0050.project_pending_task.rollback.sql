-- Takes back 0050.project_pending_task.
DROP TASK IF EXISTS PROJECT_PENDING_TASK;
