-- The tables in which yoyo keeps its books, as yoyo 9 wants them. On Snowflake it cannot make them itself: it creates
-- columns without quotes, which are upper case then, and looks for them in lower case. Run it once, in the store's
-- schema, before the first migration. It changes nothing where the tables are already.
CREATE TABLE IF NOT EXISTS "_yoyo_migration" (
    "migration_hash" VARCHAR(64) NOT NULL COMMENT 'SHA-256 of the migration''s name.',
    "migration_id" VARCHAR(255) COMMENT 'Name of the migration.',
    "applied_at_utc" TIMESTAMP_NTZ COMMENT 'When it was applied, in UTC.',
    PRIMARY KEY ("migration_hash")
)
COMMENT = 'yoyo: the migrations that are applied.';

CREATE TABLE IF NOT EXISTS "_yoyo_log" (
    "id" VARCHAR(36) NOT NULL COMMENT 'UUID of the entry.',
    "migration_hash" VARCHAR(64) COMMENT 'SHA-256 of the migration''s name.',
    "migration_id" VARCHAR(255) COMMENT 'Name of the migration.',
    "operation" VARCHAR(10) COMMENT 'apply, rollback, mark or unmark.',
    "username" VARCHAR(255) COMMENT 'Who did it, by the deploying computer''s account.',
    "hostname" VARCHAR(255) COMMENT 'The deploying computer.',
    "comment" VARCHAR(255) COMMENT 'A remark.',
    "created_at_utc" TIMESTAMP_NTZ COMMENT 'When it was done, in UTC.',
    PRIMARY KEY ("id")
)
COMMENT = 'yoyo: what was applied and rolled back, and when.';

CREATE TABLE IF NOT EXISTS "_yoyo_version" (
    "version" INT NOT NULL COMMENT 'Version of these tables.',
    "installed_at_utc" TIMESTAMP_NTZ COMMENT 'When they were made, in UTC.',
    PRIMARY KEY ("version")
)
COMMENT = 'yoyo: the version of its own tables.';

CREATE TABLE IF NOT EXISTS "yoyo_lock" (
    "locked" INT DEFAULT 1 COMMENT 'Always 1.',
    "ctime" TIMESTAMP_NTZ COMMENT 'Since when.',
    "pid" INT NOT NULL COMMENT 'The process that migrates.',
    PRIMARY KEY ("locked")
)
COMMENT = 'yoyo: who migrates. Its key is not enforced here, so that it keeps no second process out.';

INSERT INTO "_yoyo_version" ("version", "installed_at_utc")
SELECT
    2 AS VERSION,
    SYSDATE() AS INSTALLED_AT_UTC
WHERE NOT EXISTS (SELECT 1 AS FOUND FROM "_yoyo_version");
