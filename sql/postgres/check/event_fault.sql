-- The first rule of event_rules that an event breaks by itself, null when it breaks none: shape and sizes, whatever
-- the log holds. Every form of append asks this one function, one event at a time or a whole batch, so that all
-- refuse the same. p_step_rule and p_is_signal come from event_types (null for a type without rules), the limits from
-- config. Inlined into the caller's expression; reads no table.
create function runstore.event_fault(
    p_run_id text,
    p_event_type text,
    p_emitted_at timestamptz,
    p_tenant_id text,
    p_project_id text,
    p_environment_id text,
    p_plan_id text,
    p_plan_version text,
    p_engine_attempt_id int,
    p_logical_attempt_id int,
    p_idempotency_key text,
    p_event_id uuid,
    p_step_id text,
    p_payload jsonb,
    p_adapter_version text,
    p_engine_run_ref jsonb,
    p_step_rule text,
    p_is_signal boolean,
    p_max_payload_bytes int,
    p_max_signal_bytes int
)
returns text
language sql immutable parallel safe
return (
    case
        when runstore.is_identifier(p_run_id) is not true then 'runId'
        when runstore.is_identifier(p_event_type) is not true then 'eventType'
        when
            (p_emitted_at >= '0001-01-01 00:00:00+00' and p_emitted_at < '10000-01-01 00:00:00+00') is not true
            then 'emittedAt'
        when runstore.is_identifier(p_tenant_id) is not true then 'tenantId'
        when runstore.is_identifier(p_project_id) is not true then 'projectId'
        when runstore.is_identifier(p_environment_id) is not true then 'environmentId'
        when runstore.is_identifier(p_plan_id) is not true then 'planId'
        when runstore.is_identifier(p_plan_version) is not true then 'planVersion'
        when p_engine_attempt_id < 1 then 'engineAttemptId'
        when p_logical_attempt_id < 1 then 'logicalAttemptId'
        when pg_catalog.length(p_idempotency_key) <> 64 or p_idempotency_key ~ '[^0-9a-fA-F]' then 'idempotencyKey'
        when
            pg_catalog.get_byte(pg_catalog.uuid_send(p_event_id), 6) >> 4 <> 4
            or pg_catalog.get_byte(pg_catalog.uuid_send(p_event_id), 8) >> 6 <> 2
            then 'eventId'
        when p_step_id is null and p_step_rule = 'REQUIRED' then 'stepRequired'
        when not runstore.is_identifier(p_step_id) or p_step_id = 'RUN' then 'stepId'
        when p_step_id is not null and p_step_rule = 'FORBIDDEN' then 'stepForbidden'
        when pg_catalog.jsonb_typeof(p_payload) <> 'object' then 'payload'
        when p_is_signal and pg_catalog.octet_length(p_payload::text) > p_max_signal_bytes then 'signalSize'
        when pg_catalog.octet_length(p_payload::text) > p_max_payload_bytes then 'payloadSize'
        when not runstore.artifact_refs_are_pointers(p_payload) then 'artifactRefs'
        when not runstore.is_identifier(p_adapter_version) then 'adapterVersion'
        when pg_catalog.jsonb_typeof(p_engine_run_ref) <> 'object' then 'engineRunRef'
        when pg_catalog.octet_length(p_engine_run_ref::text) > p_max_payload_bytes then 'engineRunRefSize'
    end
);

comment on function runstore.event_fault(
    text, text, timestamptz, text, text, text, text, text, int, int, text, uuid, text, jsonb, text, jsonb,
    text, boolean, int, int
) is
'The first rule of event_rules that an event breaks by itself, or null.';

revoke all on function runstore.event_fault(
    text, text, timestamptz, text, text, text, text, text, int, int, text, uuid, text, jsonb, text, jsonb,
    text, boolean, int, int
) from public;
