-- Binds a login to a tenant: from then on it sees, and writes to, its tenants only.
-- depends: 0011.set_config_value

CREATE OR REPLACE PROCEDURE BIND_LOGIN(P_LOGIN VARCHAR, P_TENANT_ID VARCHAR)
COPY GRANTS
RETURNS BOOLEAN
LANGUAGE SQL
COMMENT = 'Binds a login to a tenant: it then sees its tenants only.'
EXECUTE AS OWNER
AS
$$
BEGIN
    IF (COALESCE(P_LOGIN, '') = '') THEN
        CALL RAISE_ERROR(
            'RS010', 'login is missing: expected the name of a user', 'Give the name as CURRENT_USER() shows it.',
            'login', :P_LOGIN, 'the name of a user'
        );
    END IF;

    IF (COALESCE(P_TENANT_ID, '') = '' OR LENGTH(P_TENANT_ID) > 255 OR CONTAINS(P_TENANT_ID, '|')) THEN
        CALL RAISE_ERROR(
            'RS010', 'tenantId is refused: expected a string of 1 to 255 characters without "|"',
            'Name the tenant as events name it.', 'tenantId', :P_TENANT_ID,
            'a string of 1 to 255 characters without "|"'
        );
    END IF;

    MERGE INTO TENANT_BINDINGS AS T
    USING (SELECT :P_LOGIN AS LOGIN, :P_TENANT_ID AS TENANT_ID) AS S
    ON T.LOGIN = S.LOGIN AND T.TENANT_ID = S.TENANT_ID
    WHEN NOT MATCHED THEN INSERT (LOGIN, TENANT_ID) VALUES (S.LOGIN, S.TENANT_ID);

    RETURN TRUE;
END;
$$;
