-- Where IMPORT_EVENTS puts the rows of a Parquet file, each as one object.
-- depends: 0058.import_rows

CREATE TABLE IF NOT EXISTS IMPORT_RECORDS (
    RECORD VARIANT COMMENT 'A row of the file: the columns of event_record by name.'
)
COMMENT = 'The rows of an imported Parquet file.';
