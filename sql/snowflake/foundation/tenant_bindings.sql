-- Which tenants a login is bound to. A login without a row here sees all tenants.
CREATE TABLE IF NOT EXISTS TENANT_BINDINGS (
    LOGIN VARCHAR NOT NULL COMMENT 'Name of the user, as CURRENT_USER() gives it.',
    TENANT_ID VARCHAR NOT NULL COMMENT 'A tenant that this login may use.',
    CONSTRAINT TENANT_BINDINGS_PKEY PRIMARY KEY (LOGIN, TENANT_ID)
)
COMMENT = 'Which tenants a login is bound to; a login without a row sees all.';
