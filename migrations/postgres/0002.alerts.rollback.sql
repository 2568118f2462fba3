-- Takes back 0002.alerts.
drop function runstore.resolve_alert(uuid);
drop function runstore.ack_alert(uuid);
drop function runstore.refuse_alert_id(uuid);
drop view runstore.alerts;
drop function runstore.raise_alert(text, text, text, uuid, bigint, jsonb);
drop table runstore.alert_log;
drop table runstore.alert_codes;
