-- Takes back 0005.session_tenants.
DROP VIEW IF EXISTS SESSION_TENANTS;
