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
