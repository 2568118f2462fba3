-- The answer for an event whose key the run already has: the stored event's, and nothing is written but one open
-- IDEMPOTENCY_CONFLICT alert when type, step, payload or causing signal differ. Takes no lock but the alert's row.
create function runstore.answer_duplicate(
    p_run_id text,
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
    v_tenant_id text;
    v_differing_fields text[];
begin
    select
        e.event_id,
        e.run_seq,
        e.persisted_at,
        true,
        false,
        r.tenant_id,
        runstore.differing_fields(
            e.event_type, p_event_type, e.step_id, p_step_id, e.payload, p_payload,
            e.caused_by_signal_id, p_caused_by_signal_id
        )
    into
        v_answer.event_id, v_answer.run_seq, v_answer.persisted_at, v_answer.idempotent, v_answer.persisted,
        v_tenant_id, v_differing_fields
    from runstore.run_events as e
    inner join runstore.run_counters as r on r.run_id = e.run_id
    where e.run_id = p_run_id and e.idempotency_key = p_key;

    if v_differing_fields <> '{}' then
        perform runstore.raise_alert(
            'IDEMPOTENCY_CONFLICT', p_run_id, v_tenant_id, v_answer.event_id, v_answer.run_seq,
            pg_catalog.jsonb_build_object('differs', v_differing_fields)
        );
    end if;

    return v_answer;
end
$$;

comment on function runstore.answer_duplicate(text, bytea, text, text, jsonb, uuid) is
'The answer for an event whose key the run already has.';

revoke all on function runstore.answer_duplicate(text, bytea, text, text, jsonb, uuid) from public;
