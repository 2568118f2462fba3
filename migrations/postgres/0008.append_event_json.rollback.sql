-- Takes back 0008.append_event_json.
drop function runstore.append_event(jsonb);
drop function runstore.parse_events(jsonb);
drop type runstore.incoming_event;
drop function runstore.has_wrong_type(jsonb);
drop function runstore.parse_instant(text);
drop function runstore.parse_uuid(text);
drop function runstore.parse_attempt(text);
