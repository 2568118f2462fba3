-- The fields in which a stored event and a later one with the same key differ, in camelCase; empty when they agree.
-- Inlined; reads no table.
create function runstore.differing_fields(
    p_stored_event_type text,
    p_event_type text,
    p_stored_step_id text,
    p_step_id text,
    p_stored_payload jsonb,
    p_payload jsonb,
    p_stored_signal_id uuid,
    p_signal_id uuid
)
returns text[]
language sql immutable parallel safe
return (
    case when p_stored_event_type is distinct from p_event_type then array['eventType'] else '{}' end
    || case when p_stored_step_id is distinct from p_step_id then array['stepId'] else '{}' end
    || case when p_stored_payload is distinct from p_payload then array['payload'] else '{}' end
    || case when p_stored_signal_id is distinct from p_signal_id then array['causedBySignalId'] else '{}' end
);

comment on function runstore.differing_fields(text, text, text, text, jsonb, jsonb, uuid, uuid) is
'The fields in which two events with the same key differ.';

revoke all on function runstore.differing_fields(text, text, text, text, jsonb, jsonb, uuid, uuid) from public;
