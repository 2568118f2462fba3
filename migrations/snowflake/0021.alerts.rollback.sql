-- Takes back 0021.alerts.
DROP TABLE IF EXISTS ALERTS;
