-- Takes back 0059.import_records.
DROP TABLE IF EXISTS IMPORT_RECORDS;
