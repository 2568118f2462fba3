-- Where files to import are put: PUT file://events.csv @IMPORT_STAGE/csv, or @IMPORT_STAGE/parquet for Parquet.
-- depends: 0056.archive_runs

CREATE STAGE IF NOT EXISTS IMPORT_STAGE
    COMMENT = 'Files to import, in the folders csv and parquet.';
