-- Takes back 0020.visible_runs.
DROP VIEW IF EXISTS VISIBLE_RUNS;
