-- Takes back 0058.import_rows.
DROP TABLE IF EXISTS IMPORT_ROWS;
