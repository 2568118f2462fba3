-- The functions that hold an event to those rules.
-- depends: 0004.event_rules

-- Whether a payload's artifactRefs, if it has any, are pointers: an array of objects with non-empty uri and kind, at
-- most sha256, sizeBytes and expiresAt besides, and no content smuggled in as a data: uri. Null for a null payload.
-- One pattern that looks for offences (the regular expression in it is only tried where the first character calls for
-- it); inlined, linear in the number of references.
create function runstore.artifact_refs_are_pointers(p_payload jsonb)
returns boolean
language sql immutable parallel safe
return (
    not p_payload ? 'artifactRefs' or not p_payload @? '$ ? (
        @.artifactRefs.type() != "array"
        || exists (@.artifactRefs[*].type() ? (@ != "object"))
        || exists (@.artifactRefs[*] ? (
            !(@.uri.type() == "string")
            || @.uri == ""
            || (@.uri < "!" || @.uri starts with "d" || @.uri starts with "D")
            && @.uri like_regex "^[\\x01-\\x20]*data:" flag "i"
            || !(@.kind.type() == "string")
            || @.kind == ""
            || @.sha256.type() != "string"
            || @.sizeBytes.type() != "number"
            || @.sizeBytes < 0
            || @.expiresAt.type() != "string"
        ))
        || exists (@.artifactRefs[*].keyvalue().key ? (
            @ != "uri" && @ != "kind" && @ != "sizeBytes" && @ != "sha256" && @ != "expiresAt"
        ))
    )'
);

comment on function runstore.artifact_refs_are_pointers(jsonb) is
'Whether a payload''s artifactRefs, if any, are well-formed pointers.';

revoke all on function runstore.artifact_refs_are_pointers(jsonb) from public;

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

-- Refuses an event for the rule it breaks: builds message, DETAIL and HINT from the rule's row and the event's JSON
-- form, which is what the producer sent or, for the form with named arguments, made from those. p_index is the
-- event's place in its batch. Never returns. Reads event_rules and config, locks nothing.
create function runstore.refuse_event(p_rule text, p_event jsonb, p_index int default null)
returns void
language plpgsql stable
as $$
declare
    v_rule_name text := p_rule;
    v_unknown_key text;
    v_rule runstore.event_rules;
    v_field text;
    v_value text;
    v_expected text;
begin
    if p_rule = 'unknownKey' then
        select min(k.key) into v_unknown_key
        from pg_catalog.jsonb_object_keys(p_event - runstore.event_keys()) as k (key);

        select r.rule into v_rule_name
        from runstore.event_rules as r
        where r.rule in (p_rule, 'authority.' || v_unknown_key)
        order by r.rule = p_rule
        limit 1;
    elsif p_rule = 'wrongType' then
        select f.field into v_rule_name
        from runstore.event_fields as f
        where pg_catalog.jsonb_typeof(p_event -> f.field) not in (f.json_type, 'null')
        order by f.field
        limit 1;
    end if;

    select r.* into strict v_rule from runstore.event_rules as r where r.rule = v_rule_name;

    v_field := pg_catalog.left(coalesce(v_rule.field, v_unknown_key), 100);

    if v_rule.shows_value then
        v_value := pg_catalog.left(p_event ->> v_field, 100);
    end if;

    select pg_catalog.replace(
        v_rule.expected,
        '%s',
        (case p_rule when 'signalSize' then c.max_signal_bytes else c.max_payload_bytes end)::text
    )
    into v_expected
    from runstore.config as c;

    perform runstore.raise_error(
        v_rule.code,
        pg_catalog.concat(
            'event ' || p_index::text || ' of the batch: ',
            v_field,
            ' "' || v_value || '"',
            case when v_value is null and v_rule.shows_value then ' is missing' else ' is refused' end,
            ': expected ',
            v_expected
        ),
        v_rule.hint,
        v_field,
        v_value,
        v_expected,
        p_index
    );
end
$$;

comment on function runstore.refuse_event(text, jsonb, int) is
'Raises RS001 or RS005 for the rule that an event breaks.';

revoke all on function runstore.refuse_event(text, jsonb, int) from public;

-- Refuses an event that breaks a rule by itself (RS001, RS005), and otherwise says whether it is a signal. For the
-- form with named arguments. Reads config and event_types, locks nothing.
create function runstore.check_event(
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
    p_engine_run_ref jsonb
)
returns boolean
language plpgsql stable
as $$
declare
    v_fault text;
    v_is_signal boolean;
begin
    select
        runstore.event_fault(
            p_run_id, p_event_type, p_emitted_at, p_tenant_id, p_project_id, p_environment_id, p_plan_id,
            p_plan_version, p_engine_attempt_id, p_logical_attempt_id, p_idempotency_key, p_event_id, p_step_id,
            p_payload, p_adapter_version, p_engine_run_ref, t.step_rule, t.is_signal, c.max_payload_bytes,
            c.max_signal_bytes
        ),
        coalesce(t.is_signal, false)
    into v_fault, v_is_signal
    from runstore.config as c
    left join runstore.event_types as t on t.event_type = p_event_type;

    if v_fault is not null then
        perform runstore.refuse_event(
            v_fault,
            pg_catalog.jsonb_build_object(
                'runId', p_run_id, 'eventType', p_event_type, 'emittedAt', p_emitted_at, 'tenantId', p_tenant_id,
                'projectId', p_project_id, 'environmentId', p_environment_id, 'planId', p_plan_id,
                'planVersion', p_plan_version, 'engineAttemptId', p_engine_attempt_id,
                'logicalAttemptId', p_logical_attempt_id, 'idempotencyKey', p_idempotency_key, 'eventId', p_event_id,
                'stepId', p_step_id, 'adapterVersion', p_adapter_version
            )
        );
    end if;

    return v_is_signal;
end
$$;

comment on function runstore.check_event(
    text, text, timestamptz, text, text, text, text, text, int, int, text, uuid, text, jsonb, text, jsonb
) is
'Refuses an event that breaks a rule by itself, and otherwise says whether it is a signal.';

revoke all on function runstore.check_event(
    text, text, timestamptz, text, text, text, text, text, int, int, text, uuid, text, jsonb, text, jsonb
) from public;
