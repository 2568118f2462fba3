-- Takes back 0041.lock_projection.
DROP PROCEDURE IF EXISTS LOCK_PROJECTION();
