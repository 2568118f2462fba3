-- The tenants that the session's login is bound to; empty for a login that sees all.
-- depends: 0004.tenant_bindings

CREATE OR REPLACE VIEW SESSION_TENANTS
COPY GRANTS
COMMENT = 'The tenants that the session''s login is bound to; empty for a login that sees all.'
AS
SELECT DISTINCT B.TENANT_ID
FROM TENANT_BINDINGS AS B
WHERE B.LOGIN = CURRENT_USER();
