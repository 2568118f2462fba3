-- Takes back 0005.event_checks.
drop function runstore.check_event(
    text, text, timestamptz, text, text, text, text, text, int, int, text, uuid, text, jsonb, text, jsonb
);
drop function runstore.refuse_event(text, jsonb, int);
drop function runstore.looks_ordinary(text, text, timestamptz, int, int, bytea, uuid, text, jsonb, jsonb, int);
drop function runstore.event_fault(
    text, text, timestamptz, text, text, text, text, text, int, int, text, uuid, text, jsonb, text, jsonb,
    text, boolean, int, int
);
drop function runstore.artifact_refs_are_pointers(jsonb);
