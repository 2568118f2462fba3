-- Lets a probe for one key find its partition without reading the others; an append probes by key every time.
-- depends: 0014.run_events

ALTER TABLE RUN_EVENTS ADD SEARCH OPTIMIZATION ON EQUALITY (IDEMPOTENCY_KEY);
