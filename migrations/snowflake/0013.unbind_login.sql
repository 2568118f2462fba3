-- Takes a binding back; a login without any sees all tenants again.
-- depends: 0012.bind_login

CREATE OR REPLACE PROCEDURE UNBIND_LOGIN(P_LOGIN VARCHAR, P_TENANT_ID VARCHAR)
COPY GRANTS
RETURNS BOOLEAN
LANGUAGE SQL
COMMENT = 'Takes the binding of a login to a tenant back.'
EXECUTE AS OWNER
AS
$$
DECLARE
    V_ROWS NUMBER DEFAULT 0;
BEGIN
    DELETE FROM TENANT_BINDINGS WHERE LOGIN = :P_LOGIN AND TENANT_ID = :P_TENANT_ID;
    V_ROWS := SQLROWCOUNT;

    IF (COALESCE(V_ROWS, 0) = 0) THEN
        CALL RAISE_ERROR(
            'RS010', 'the login is not bound to this tenant', 'Look for the spelling: names are compared as they are.',
            'login', :P_LOGIN, 'a login that is bound to the tenant'
        );
    END IF;

    RETURN TRUE;
END;
$$;
