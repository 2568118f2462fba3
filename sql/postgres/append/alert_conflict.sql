-- Raises the IDEMPOTENCY_CONFLICT alert for an event that came again under the key of a stored one, and names the
-- fields in which they differ. Locks the run and then the alert's row, in the order of an append that writes; reads
-- one event.
create function runstore.alert_conflict(
    p_run_id text,
    p_tenant_id text,
    p_key bytea,
    p_event_type text,
    p_step_id text,
    p_payload jsonb,
    p_caused_by_signal_id uuid
)
returns void
language plpgsql volatile
as $$
begin
    perform from runstore.run_counters as r where r.run_id = p_run_id for no key update;

    perform runstore.raise_alert(
        'IDEMPOTENCY_CONFLICT',
        p_run_id,
        p_tenant_id,
        e.event_id,
        e.run_seq,
        pg_catalog.jsonb_build_object(
            'differs',
            runstore.differing_fields(
                e.event_type, p_event_type, e.step_id, p_step_id, e.payload, p_payload,
                e.caused_by_signal_id, p_caused_by_signal_id
            )
        )
    )
    from runstore.run_events as e
    where e.run_id = p_run_id and e.idempotency_key = p_key;
end
$$;

comment on function runstore.alert_conflict(text, text, bytea, text, text, jsonb, uuid) is
'Raises the alert for an event that differs from the stored one with its key.';

revoke all on function runstore.alert_conflict(text, text, bytea, text, text, jsonb, uuid) from public;
