-- Takes back 0060.import_checked.
DROP TABLE IF EXISTS IMPORT_CHECKED;
