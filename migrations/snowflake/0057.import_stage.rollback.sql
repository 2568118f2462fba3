-- Takes back 0057.import_stage.
DROP STAGE IF EXISTS IMPORT_STAGE;
