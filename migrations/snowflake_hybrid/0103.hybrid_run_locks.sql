-- The locks of runs, one row each, which LOCK_RUNS updates before anything else is read: a hybrid table locks row by
-- row.
-- depends: 0102.hybrid_run_counters

CREATE HYBRID TABLE IF NOT EXISTS RUN_LOCKS (
    RUN_ID VARCHAR NOT NULL COMMENT 'The run.',
    TIMES_TAKEN NUMBER(38, 0) NOT NULL COMMENT 'How often the lock was taken.',
    CONSTRAINT RUN_LOCKS_PKEY PRIMARY KEY (RUN_ID)
)
COMMENT = 'The locks of runs, one row each.';
