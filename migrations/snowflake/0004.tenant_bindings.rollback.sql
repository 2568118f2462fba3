-- Takes back 0004.tenant_bindings.
DROP TABLE IF EXISTS TENANT_BINDINGS;
