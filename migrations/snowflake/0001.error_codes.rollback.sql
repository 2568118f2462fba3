-- Takes back 0001.error_codes.
DROP TABLE IF EXISTS ERROR_CODES;
