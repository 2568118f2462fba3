-- The lock of the log: one row, updated first by everything that writes to the log, so that one of them works at a
-- time.
-- depends: 0017.run_counters

CREATE TABLE IF NOT EXISTS APPEND_LOCK (
    TIMES_TAKEN NUMBER(38, 0) NOT NULL COMMENT 'How often the lock was taken.'
)
COMMENT = 'The lock of the log: one row, updated first by everything that writes to the log.';

INSERT INTO APPEND_LOCK (TIMES_TAKEN)
SELECT 0 AS TIMES_TAKEN
WHERE NOT EXISTS (SELECT 1 AS FOUND FROM APPEND_LOCK);
