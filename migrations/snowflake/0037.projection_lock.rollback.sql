-- Takes back 0037.projection_lock.
DROP TABLE IF EXISTS PROJECTION_LOCK;
