-- Every error that runstore raises, one row each: the codes and names that PostgreSQL raises, and the number of the
-- exception that carries them here. RAISE_ERROR reads it; nothing else does.
CREATE TABLE IF NOT EXISTS ERROR_CODES (
    CODE VARCHAR NOT NULL COMMENT 'SQLSTATE of the same error on PostgreSQL; callers branch on it.',
    NAME VARCHAR NOT NULL COMMENT 'Name that opens the message.',
    EXCEPTION_NUMBER NUMBER(38, 0) NOT NULL COMMENT 'Number of the Snowflake exception.',
    MEANING VARCHAR NOT NULL COMMENT 'When it is raised.',
    CONSTRAINT ERROR_CODES_PKEY PRIMARY KEY (CODE)
)
COMMENT = 'Every error that runstore raises, one row each.';

MERGE INTO ERROR_CODES AS T
USING (
    SELECT
        COLUMN1 AS CODE,
        COLUMN2 AS NAME,
        COLUMN3 AS EXCEPTION_NUMBER,
        COLUMN4 AS MEANING
    FROM
        VALUES
        ('RS001', 'INVALID_EVENT', -20001, 'A field of an event is missing or malformed.'),
        ('RS002', 'RUN_IDENTITY_MISMATCH', -20002, 'The run exists under another tenant, project or environment.'),
        ('RS003', 'EVENT_ID_REUSED', -20003, 'The event id is already another event of this run.'),
        ('RS005', 'PAYLOAD_TOO_LARGE', -20005, 'A payload, engine run reference or signal is over its size limit.'),
        ('RS006', 'SIGNAL_RATE_EXCEEDED', -20006, 'The run has had its signals for this minute.'),
        ('RS008', 'RUN_ARCHIVED', -20008, 'The run is archived and takes no more events.'),
        ('RS010', 'INVALID_ARGUMENT', -20010, 'A limit, watermark, name, key or value is not acceptable.'),
        ('RS012', 'RUN_NOT_FOUND', -20012, 'There is no such run, or it is another tenant''s.'),
        ('RS013', 'TENANT_FORBIDDEN', -20013, 'The login is bound to other tenants.'),
        ('40001', 'APPEND_RACED', -20040, 'Another session moved the run meanwhile; the same call can be sent again.')
) AS S
    ON T.CODE = S.CODE
WHEN MATCHED THEN UPDATE SET NAME = S.NAME, EXCEPTION_NUMBER = S.EXCEPTION_NUMBER, MEANING = S.MEANING
WHEN NOT MATCHED THEN
    INSERT (CODE, NAME, EXCEPTION_NUMBER, MEANING)
    VALUES (S.CODE, S.NAME, S.EXCEPTION_NUMBER, S.MEANING);
