-- Takes back 0038.run_snapshots.
DROP TABLE IF EXISTS RUN_SNAPSHOTS;
