-- The locks of runs, one row each, which LOCK_RUNS updates before anything else is read: a hybrid table locks row by
-- row. A table of its own, because a statement that has waited for a lock may write its row as it was before the wait:
-- nothing but the lock may stand in it.
CREATE HYBRID TABLE IF NOT EXISTS RUN_LOCKS (
    RUN_ID VARCHAR NOT NULL COMMENT 'The run.',
    TIMES_TAKEN NUMBER(38, 0) NOT NULL COMMENT 'How often the lock was taken.',
    CONSTRAINT RUN_LOCKS_PKEY PRIMARY KEY (RUN_ID)
)
COMMENT = 'The locks of runs, one row each.';
