-- Takes back 0016.run_events_archive.
DROP TABLE IF EXISTS RUN_EVENTS_ARCHIVE;
