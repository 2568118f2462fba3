-- Whether an event is of the kind that nearly all are, and so certainly breaks no rule of its own: true only where
-- event_fault() is null. Anything else, signals and unknown types too, is for event_fault() to decide. It exists for
-- speed: many small comparisons cost an append more than its checks are worth, so the identifiers are looked at
-- joined. p_identifiers: run, type, tenant, project, environment, plan, plan version, then step and adapter version
-- or "-", joined with "|", a missing one empty. p_key: the key's octets, null when the supplied one is malformed.
-- Inlined; reads no table.
create function runstore.looks_ordinary(
    p_identifiers text,
    p_event_type text,
    p_emitted_at timestamptz,
    p_engine_attempt_id int,
    p_logical_attempt_id int,
    p_key bytea,
    p_event_id uuid,
    p_step_id text,
    p_payload jsonb,
    p_engine_run_ref jsonb,
    p_max_payload_bytes int
)
returns boolean
language sql immutable parallel safe
return (
    pg_catalog.length(p_identifiers) <= 255
    and pg_catalog.length(pg_catalog.replace(p_identifiers, '|', '')) = pg_catalog.length(p_identifiers) - 8
    and pg_catalog.strpos('|' || p_identifiers || '|', '||') = 0
    and p_emitted_at between '0001-01-01 00:00:00+00' and '9999-12-31 00:00:00+00'
    and p_engine_attempt_id >= 1
    and p_logical_attempt_id >= 1
    and p_key is not null
    and pg_catalog.get_byte(pg_catalog.uuid_send(p_event_id), 6) >> 4 = 4
    and pg_catalog.get_byte(pg_catalog.uuid_send(p_event_id), 8) >> 6 = 2
    and case
        when p_step_id is null then pg_catalog.starts_with(p_event_type, 'Run')
        else pg_catalog.starts_with(p_event_type, 'Step') and p_step_id <> 'RUN'
    end
    and (
        p_payload is null
        or (
            pg_catalog.jsonb_typeof(p_payload) = 'object'
            and pg_catalog.octet_length(p_payload::text) <= p_max_payload_bytes
            and runstore.artifact_refs_are_pointers(p_payload)
        )
    )
    and p_engine_run_ref is null
);

comment on function runstore.looks_ordinary(
    text, text, timestamptz, int, int, bytea, uuid, text, jsonb, jsonb, int
) is
'True only for events in which event_fault() finds no fault; false or null leaves the question open.';

revoke all on function runstore.looks_ordinary(
    text, text, timestamptz, int, int, bytea, uuid, text, jsonb, jsonb, int
) from public;
