-- Takes back 0014.run_events.
DROP TABLE IF EXISTS RUN_EVENTS;
