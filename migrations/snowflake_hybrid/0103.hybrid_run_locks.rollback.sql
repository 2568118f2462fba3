-- Takes back 0103.hybrid_run_locks.
DROP TABLE IF EXISTS RUN_LOCKS;
