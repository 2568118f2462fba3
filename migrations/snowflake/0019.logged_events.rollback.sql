-- Takes back 0019.logged_events.
DROP VIEW IF EXISTS LOGGED_EVENTS;
