-- Takes back 0017.run_counters.
DROP TABLE IF EXISTS RUN_COUNTERS;
