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
