-- Takes back 0004.event_rules.
drop function runstore.event_keys();
drop table runstore.event_fields;
drop table runstore.event_rules;
drop table runstore.event_types;
