-- Lets a probe for one key find its partition without reading the others; an append probes by key every time. Costs
-- storage and a background service that follows the writes (Enterprise Edition). Without it appends work the same and
-- read more. Safe to run again.
ALTER TABLE RUN_EVENTS ADD SEARCH OPTIMIZATION ON EQUALITY (IDEMPOTENCY_KEY);
