-- The arguments of append_event() in their order, with an event's values for them.
create function pg_temp.arguments(p_event jsonb)
returns table (place int, argument text, field text, type text, is_required boolean, value text)
language sql immutable
as $$
    select
        a.*,
        case a.type when 'jsonb' then nullif(p_event -> a.field, 'null')::text else p_event ->> a.field end
    from (
        values
        (1, 'p_run_id', 'runId', 'text', true),
        (2, 'p_event_type', 'eventType', 'text', true),
        (3, 'p_emitted_at', 'emittedAt', 'timestamptz', true),
        (4, 'p_tenant_id', 'tenantId', 'text', true),
        (5, 'p_project_id', 'projectId', 'text', true),
        (6, 'p_environment_id', 'environmentId', 'text', true),
        (7, 'p_plan_id', 'planId', 'text', true),
        (8, 'p_plan_version', 'planVersion', 'text', true),
        (9, 'p_engine_attempt_id', 'engineAttemptId', 'int', false),
        (10, 'p_logical_attempt_id', 'logicalAttemptId', 'int', false),
        (11, 'p_idempotency_key', 'idempotencyKey', 'text', false),
        (12, 'p_event_id', 'eventId', 'uuid', false),
        (13, 'p_step_id', 'stepId', 'text', false),
        (14, 'p_payload', 'payload', 'jsonb', false),
        (15, 'p_adapter_version', 'adapterVersion', 'text', false),
        (16, 'p_engine_run_ref', 'engineRunRef', 'jsonb', false),
        (17, 'p_caused_by_signal_id', 'causedBySignalId', 'uuid', false),
        (18, 'p_parent_event_id', 'parentEventId', 'uuid', false)
    ) as a (place, argument, field, type, is_required)
$$;

-- The four ways to append one event, as statements. A required field that is missing goes as a null argument.
create function pg_temp.calls(p_event jsonb)
returns table (form text, statement text)
language sql immutable
as $$
    select 'named', format('select * from runstore.append_event(%s)', string_agg(
        format('%s => %L::%s', a.argument, a.value, a.type), ', ' order by a.place desc
    ))
    from pg_temp.arguments(p_event) as a
    where a.is_required or p_event ? a.field
    union all
    select 'positional', format('select * from runstore.append_event(%s)', string_agg(
        format('%L::%s', a.value, a.type), ', ' order by a.place
    ))
    from pg_temp.arguments(p_event) as a
    union all
    select 'json', format('select * from runstore.append_event(%L::jsonb)', p_event)
    union all
    select 'batch', format('select * from runstore.append_events(%L::jsonb)', jsonb_build_array(p_event))
$$;
