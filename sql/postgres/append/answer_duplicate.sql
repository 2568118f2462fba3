-- The answer for an event whose key the run already has: the stored event's, and nothing is written but one open
-- IDEMPOTENCY_CONFLICT alert when type, step, payload or causing signal differ. All columns null when the run does
-- not have the key. Raises RS002 when the run is another tenant's, project's or environment's. Takes no lock but the
-- alert's row.
create function runstore.answer_duplicate(
    p_run_id text,
    p_tenant_id text,
    p_project_id text,
    p_environment_id text,
    p_key bytea,
    p_event_type text,
    p_step_id text,
    p_payload jsonb,
    p_caused_by_signal_id uuid
)
returns runstore.append_result
language plpgsql volatile
as $$
declare
    v_answer runstore.append_result;
    v_same_identity boolean;
    v_differing_fields text[];
begin
    select
        e.event_id,
        e.run_seq,
        e.persisted_at,
        true,
        false,
        r.tenant_id = p_tenant_id and r.project_id = p_project_id and r.environment_id = p_environment_id,
        runstore.differing_fields(
            e.event_type, p_event_type, e.step_id, p_step_id, e.payload, p_payload,
            e.caused_by_signal_id, p_caused_by_signal_id
        )
    into
        v_answer.event_id, v_answer.run_seq, v_answer.persisted_at, v_answer.idempotent, v_answer.persisted,
        v_same_identity, v_differing_fields
    from runstore.run_events as e
    inner join runstore.run_counters as r on e.run_id = r.run_id
    where e.run_id = p_run_id and e.idempotency_key = p_key;

    if not v_same_identity then
        perform runstore.refuse_identity(p_run_id);
    end if;

    if v_differing_fields <> '{}' then
        perform runstore.raise_alert(
            'IDEMPOTENCY_CONFLICT', p_run_id, p_tenant_id, v_answer.event_id, v_answer.run_seq,
            pg_catalog.jsonb_build_object('differs', v_differing_fields)
        );
    end if;

    return v_answer;
end
$$;

comment on function runstore.answer_duplicate(text, text, text, text, bytea, text, text, jsonb, uuid) is
'The answer for an event whose key the run already has; all null when it has not.';

revoke all on function runstore.answer_duplicate(text, text, text, text, bytea, text, text, jsonb, uuid) from public;
