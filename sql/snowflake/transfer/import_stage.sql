-- Where files to import are put: PUT file://events.csv @IMPORT_STAGE/csv, or @IMPORT_STAGE/parquet for Parquet.
-- IMPORT_EVENTS reads all files of one of the two folders.
CREATE STAGE IF NOT EXISTS IMPORT_STAGE
    COMMENT = 'Files to import, in the folders csv and parquet.';
