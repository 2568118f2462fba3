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
