-- Reading events from JSON, and append_event(jsonb).
-- depends: 0007.append_event

-- The attempt that the text of a JSON number stands for: a whole number from 1 to 2147483647 as it is, 1 when it is
-- absent, and 0, which event_fault() refuses, for anything else. Never raises. Inlined.
create function runstore.parse_attempt(p_text text)
returns int
language sql immutable parallel safe
return (
    case
        when p_text is null then 1
        when pg_catalog.length(p_text) between 1 and 9 and p_text !~ '[^0-9]' then p_text::int
        when p_text !~ '^[0-9]{1,10}(?:\.0+)?$' then 0
        when pg_catalog.split_part(p_text, '.', 1)::bigint > 2147483647 then 0
        else pg_catalog.split_part(p_text, '.', 1)::int
    end
);

comment on function runstore.parse_attempt(text) is
'The attempt that a JSON number''s text stands for; 1 when absent, 0 when it is none.';

revoke all on function runstore.parse_attempt(text) from public;

-- The UUID that a text of 8-4-4-4-12 hex digits names, null for any other text. Never raises. Inlined.
create function runstore.parse_uuid(p_text text)
returns uuid
language sql immutable parallel safe
return (
    case
        when
            p_text like '________-____-____-____-____________'
            and p_text !~ '[^0-9a-fA-F-]'
            and pg_catalog.length(pg_catalog.replace(p_text, '-', '')) = 32
            then p_text::uuid
    end
);

comment on function runstore.parse_uuid(text) is
'The UUID that a text of 8-4-4-4-12 hex digits names, null for any other text.';

revoke all on function runstore.parse_uuid(text) from public;

-- The instant that an RFC 3339 text names, null for any other text: upper-case T, Z or an offset, at most six
-- fraction digits, hour up to 23, second up to 59, a day that exists, a year from 0001. Never raises and depends on
-- no setting of the session. Inlined into the caller's expression.
create function runstore.parse_instant(p_text text)
returns timestamptz
language sql stable parallel safe
return (
    case
        when pg_catalog.translate(pg_catalog.left(p_text, 19), '123456789', '000000000') <> '0000-00-00T00:00:00'
            then null
        when pg_catalog.substr(p_text, 20) !~ '^(?:\.[0-9]{1,6})?(?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])$'
            then null
        when pg_catalog.left(p_text, 4) = '0000' then null
        when pg_catalog.substr(p_text, 6, 2)::int not between 1 and 12 then null
        when pg_catalog.substr(p_text, 9, 2)::int not between 1 and 31 then null
        when
            pg_catalog.substr(p_text, 9, 2)::int > 28
            and pg_catalog.substr(p_text, 9, 2)::int > extract(
                day from pg_catalog.make_date(
                    pg_catalog.left(p_text, 4)::int, pg_catalog.substr(p_text, 6, 2)::int, 1
                ) + interval '1 month -1 day'
            )
            then null
        when pg_catalog.substr(p_text, 12, 2)::int > 23 then null
        when pg_catalog.substr(p_text, 15, 2)::int > 59 then null
        when pg_catalog.substr(p_text, 18, 2)::int > 59 then null
        when pg_catalog.right(p_text, 1) = 'Z' then (pg_catalog.left(p_text, -1) || '+00')::timestamptz
        when pg_catalog.substr(p_text, pg_catalog.length(p_text) - 5, 1) = '+'
            then (pg_catalog.left(p_text, -6) || '+00')::timestamptz - pg_catalog.right(p_text, 5)::interval
        else (pg_catalog.left(p_text, -6) || '+00')::timestamptz + pg_catalog.right(p_text, 5)::interval
    end
);

comment on function runstore.parse_instant(text) is
'The instant that an RFC 3339 text names, null for any other text.';

revoke all on function runstore.parse_instant(text) from public;

-- Whether some field of an event in JSON form has another JSON type than event_fields says; null counts as absent. A
-- pattern rather than a join with that table, because every event of every batch is asked; a test compares the two.
-- Inlined.
create function runstore.has_wrong_type(p_event jsonb)
returns boolean
language sql immutable parallel safe
return (
    p_event @? '$ ? (
        (@.runId.type() != "string" && @.runId.type() != "null")
        || (@.eventType.type() != "string" && @.eventType.type() != "null")
        || (@.emittedAt.type() != "string" && @.emittedAt.type() != "null")
        || (@.tenantId.type() != "string" && @.tenantId.type() != "null")
        || (@.projectId.type() != "string" && @.projectId.type() != "null")
        || (@.environmentId.type() != "string" && @.environmentId.type() != "null")
        || (@.planId.type() != "string" && @.planId.type() != "null")
        || (@.planVersion.type() != "string" && @.planVersion.type() != "null")
        || (@.idempotencyKey.type() != "string" && @.idempotencyKey.type() != "null")
        || (@.eventId.type() != "string" && @.eventId.type() != "null")
        || (@.stepId.type() != "string" && @.stepId.type() != "null")
        || (@.adapterVersion.type() != "string" && @.adapterVersion.type() != "null")
        || (@.causedBySignalId.type() != "string" && @.causedBySignalId.type() != "null")
        || (@.parentEventId.type() != "string" && @.parentEventId.type() != "null")
        || (@.engineAttemptId.type() != "number" && @.engineAttemptId.type() != "null")
        || (@.logicalAttemptId.type() != "number" && @.logicalAttemptId.type() != "null")
    )'
);

comment on function runstore.has_wrong_type(jsonb) is
'Whether some field of an event in JSON form has the wrong JSON type.';

revoke all on function runstore.has_wrong_type(jsonb) from public;

create type runstore.incoming_event as (
    index int,
    nth bigint,
    fault text,
    is_signal boolean,
    run_id text,
    event_type text,
    emitted_at timestamptz,
    tenant_id text,
    project_id text,
    environment_id text,
    plan_id text,
    plan_version text,
    engine_attempt_id int,
    logical_attempt_id int,
    idempotency_key bytea,
    event_id uuid,
    step_id text,
    payload jsonb,
    adapter_version text,
    engine_run_ref jsonb,
    caused_by_signal_id uuid,
    parent_event_id uuid
);

comment on type runstore.incoming_event is 'One event of a batch, read from its JSON form. Internal.';
comment on column runstore.incoming_event.index is 'Place in the batch, from 0.';
comment on column runstore.incoming_event.nth is 'Place among the events of its run in the batch, from 1.';
comment on column runstore.incoming_event.fault is 'Rule of event_rules that the event breaks by itself, or null.';
comment on column runstore.incoming_event.is_signal is 'Whether the signal limits apply.';
comment on column runstore.incoming_event.run_id is 'As in run_events.';
comment on column runstore.incoming_event.event_type is 'As in run_events.';
comment on column runstore.incoming_event.emitted_at is 'As in run_events.';
comment on column runstore.incoming_event.tenant_id is 'As in run_counters.';
comment on column runstore.incoming_event.project_id is 'As in run_counters.';
comment on column runstore.incoming_event.environment_id is 'As in run_counters.';
comment on column runstore.incoming_event.plan_id is 'As in run_events.';
comment on column runstore.incoming_event.plan_version is 'As in run_events.';
comment on column runstore.incoming_event.engine_attempt_id is 'As in run_events.';
comment on column runstore.incoming_event.logical_attempt_id is 'As in run_events.';
comment on column runstore.incoming_event.idempotency_key is 'The supplied key, or the computed one.';
comment on column runstore.incoming_event.event_id is 'The supplied id, or a fresh one.';
comment on column runstore.incoming_event.step_id is 'As in run_events.';
comment on column runstore.incoming_event.payload is 'As in run_events.';
comment on column runstore.incoming_event.adapter_version is 'As in run_events.';
comment on column runstore.incoming_event.engine_run_ref is 'As in run_events.';
comment on column runstore.incoming_event.caused_by_signal_id is 'As in run_events.';
comment on column runstore.incoming_event.parent_event_id is 'As in run_events.';

-- Reads a JSON array of events into rows, in input order, and finds for each the first rule that it breaks by itself.
-- An element that is no object becomes an empty event. Reads config and event_types, locks nothing, raises nothing;
-- one pass, linear in the size of the array.
create function runstore.parse_events(p_events jsonb)
returns setof runstore.incoming_event
language sql volatile
as $$
    select
        p.index,
        pg_catalog.row_number() over (partition by p.run_id order by p.index),
        case
            when pg_catalog.jsonb_typeof(p.event) <> 'object' then 'event'
            when p.event - runstore.event_keys() <> '{}' then 'unknownKey'
            when runstore.has_wrong_type(p.event) then 'wrongType'
            when p.signal_text is not null and p.caused_by_signal_id is null then 'causedBySignalId'
            when p.parent_text is not null and p.parent_event_id is null then 'parentEventId'
            else runstore.event_fault(
                p.run_id, p.event_type, p.emitted_at, p.tenant_id, p.project_id, p.environment_id, p.plan_id,
                p.plan_version, p.engine_attempt_id, p.logical_attempt_id, p.key_text, p.event_id, p.step_id, p.payload,
                p.adapter_version, p.engine_run_ref, t.step_rule, t.is_signal, c.max_payload_bytes, c.max_signal_bytes
            )
        end,
        coalesce(t.is_signal, false),
        p.run_id,
        p.event_type,
        p.emitted_at,
        p.tenant_id,
        p.project_id,
        p.environment_id,
        p.plan_id,
        p.plan_version,
        p.engine_attempt_id,
        p.logical_attempt_id,
        case
            when p.key_text is null
                then runstore.idempotency_key_octets(
                    p.run_id, p.step_id, p.logical_attempt_id, p.event_type, p.plan_id, p.plan_version
                )
            when pg_catalog.length(p.key_text) = 64 and p.key_text !~ '[^0-9a-fA-F]'
                then pg_catalog.decode(p.key_text, 'hex')
        end,
        coalesce(p.event_id, pg_catalog.gen_random_uuid()),
        p.step_id,
        p.payload,
        p.adapter_version,
        p.engine_run_ref,
        p.caused_by_signal_id,
        p.parent_event_id
    from
        (
            select
                (e.position - 1)::int as index,
                e.event,
                e.run_id,
                e.event_type,
                case
                    when e.emitted_at is not null then coalesce(runstore.parse_instant(e.emitted_at), 'infinity')
                end as emitted_at,
                e.tenant_id,
                e.project_id,
                e.environment_id,
                e.plan_id,
                e.plan_version,
                runstore.parse_attempt(e.engine_attempt_id) as engine_attempt_id,
                runstore.parse_attempt(e.logical_attempt_id) as logical_attempt_id,
                e.key_text,
                case
                    when e.event_id is not null
                        then coalesce(runstore.parse_uuid(e.event_id), '00000000-0000-0000-0000-000000000000')
                end as event_id,
                e.step_id,
                e.payload,
                e.adapter_version,
                e.engine_run_ref,
                e.signal_text,
                runstore.parse_uuid(e.signal_text) as caused_by_signal_id,
                e.parent_text,
                runstore.parse_uuid(e.parent_text) as parent_event_id
            from
                rows from (
                    pg_catalog.jsonb_array_elements(p_events),
                    pg_catalog.jsonb_to_recordset(
                        case
                            when p_events @? '$[*].type() ? (@ != "object")'
                                then (
                                    select pg_catalog.jsonb_agg(
                                        case when pg_catalog.jsonb_typeof(a.value) = 'object' then a.value else '{}' end
                                        order by a.ordinality
                                    )
                                    from pg_catalog.jsonb_array_elements(p_events) with ordinality as a
                                )
                            else p_events
                        end
                    ) as (
                        "runId" text, "eventType" text, "emittedAt" text, "tenantId" text, "projectId" text,
                        "environmentId" text, "planId" text, "planVersion" text, "engineAttemptId" text,
                        "logicalAttemptId" text, "idempotencyKey" text, "eventId" text, "stepId" text, payload jsonb,
                        "adapterVersion" text, "engineRunRef" jsonb, "causedBySignalId" text, "parentEventId" text
                    )
                ) with ordinality as e (
                    event, run_id, event_type, emitted_at, tenant_id, project_id, environment_id, plan_id,
                    plan_version, engine_attempt_id, logical_attempt_id, key_text, event_id, step_id, payload,
                    adapter_version, engine_run_ref, signal_text, parent_text, position
                )
            offset 0
        ) as p
    inner join runstore.config as c on c.singleton
    left join runstore.event_types as t on t.event_type = p.event_type
$$;

comment on function runstore.parse_events(jsonb) is
'Reads a JSON array of events into rows, each with the first rule that it breaks.';

revoke all on function runstore.parse_events(jsonb) from public;

-- The same as append_event() with named arguments, for one RunEventWrite in its camelCase JSON form: the same answer,
-- the same refusals, the same locks. RS001 for null, for what is no object, and for keys that are unknown or the
-- authority's.
create function runstore.append_event(p_event jsonb)
returns runstore.append_result
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_event runstore.incoming_event;
begin
    select e.* into v_event
    from runstore.parse_events(jsonb_build_array(coalesce(p_event, 'null'))) as e;

    if v_event.fault is not null then
        perform runstore.refuse_event(v_event.fault, p_event);
    end if;

    return runstore.append_event(
        p_run_id => v_event.run_id,
        p_event_type => v_event.event_type,
        p_emitted_at => v_event.emitted_at,
        p_tenant_id => v_event.tenant_id,
        p_project_id => v_event.project_id,
        p_environment_id => v_event.environment_id,
        p_plan_id => v_event.plan_id,
        p_plan_version => v_event.plan_version,
        p_engine_attempt_id => v_event.engine_attempt_id,
        p_logical_attempt_id => v_event.logical_attempt_id,
        p_idempotency_key => encode(v_event.idempotency_key, 'hex'),
        p_event_id => v_event.event_id,
        p_step_id => v_event.step_id,
        p_payload => v_event.payload,
        p_adapter_version => v_event.adapter_version,
        p_engine_run_ref => v_event.engine_run_ref,
        p_caused_by_signal_id => v_event.caused_by_signal_id,
        p_parent_event_id => v_event.parent_event_id
    );
end
$$;

comment on function runstore.append_event(jsonb) is
'Appends one event given as a JSON object with the fields of RunEventWrite in camelCase.';

revoke all on function runstore.append_event(jsonb) from public;
grant execute on function runstore.append_event(jsonb) to runstore_writer, runstore_admin;
