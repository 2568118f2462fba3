-- The lock of the projection: one row, updated first by everything that writes snapshots, so that one projector works
-- at a time. A table of its own, because an append must not wait for a projector.
CREATE TABLE IF NOT EXISTS PROJECTION_LOCK (
    TIMES_TAKEN NUMBER(38, 0) NOT NULL COMMENT 'How often the lock was taken.'
)
COMMENT = 'The lock of the projection: one row, updated first by everything that writes snapshots.';

INSERT INTO PROJECTION_LOCK (TIMES_TAKEN)
SELECT 0 AS TIMES_TAKEN
WHERE NOT EXISTS (SELECT 1 AS FOUND FROM PROJECTION_LOCK);
