-- Takes back 0018.append_lock.
DROP TABLE IF EXISTS APPEND_LOCK;
