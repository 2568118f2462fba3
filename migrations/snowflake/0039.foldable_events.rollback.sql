-- Takes back 0039.foldable_events.
DROP VIEW IF EXISTS FOLDABLE_EVENTS;
