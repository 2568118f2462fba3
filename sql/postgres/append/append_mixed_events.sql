-- Appends the events of a checked batch whose key is new, in input order, and answers every element, the known ones
-- with the stored event; known ones that differ from it raise an IDEMPOTENCY_CONFLICT alert each. The caller holds
-- the runs' locks. Four statements, whatever the size; index probes per element.
create function runstore.append_mixed_events(p_events runstore.incoming_event[], p_now timestamptz)
returns setof runstore.append_result
language plpgsql volatile
as $$
begin
    insert into runstore.run_events (
        run_id, run_seq, event_id, event_type, step_id, engine_attempt_id, logical_attempt_id, plan_id, plan_version,
        idempotency_key, payload, emitted_at, persisted_at, adapter_version, engine_run_ref, caused_by_signal_id,
        parent_event_id
    )
    select
        n.run_id, r.last_seq + pg_catalog.row_number() over (partition by n.run_id order by n.index), n.event_id,
        n.event_type, n.step_id, n.engine_attempt_id, n.logical_attempt_id, n.plan_id, n.plan_version,
        n.idempotency_key, n.payload, n.emitted_at, greatest(p_now, r.last_persisted_at), n.adapter_version,
        n.engine_run_ref, n.caused_by_signal_id, n.parent_event_id
    from (
        select distinct on (e.run_id, e.idempotency_key) e.*
        from pg_catalog.unnest(p_events) as e
        order by e.run_id, e.idempotency_key, e.index
    ) as n
    inner join runstore.run_counters as r on n.run_id = r.run_id
    where
        (
            select k.run_seq from runstore.run_events as k
            where k.run_id = n.run_id and k.idempotency_key = n.idempotency_key
        ) is null;

    perform runstore.raise_alert(
        'IDEMPOTENCY_CONFLICT', d.run_id, d.tenant_id, d.event_id, d.run_seq,
        pg_catalog.jsonb_build_object('differs', d.fields)
    )
    from (
        select
            e.index,
            e.run_id,
            e.tenant_id,
            s.event_id,
            s.run_seq,
            runstore.differing_fields(
                s.event_type, e.event_type, s.step_id, e.step_id, s.payload, e.payload,
                s.caused_by_signal_id, e.caused_by_signal_id
            ) as fields
        from pg_catalog.unnest(p_events) as e
        cross join lateral (
            select k.* from runstore.run_events as k
            where k.run_id = e.run_id and k.idempotency_key = e.idempotency_key
            limit 1
        ) as s
    ) as d
    where d.fields <> '{}'
    order by d.run_id, d.index;

    return query
    select a.event_id, a.run_seq, a.persisted_at, not a.is_new, a.is_new
    from (
        select
            e.index,
            s.event_id,
            s.run_seq,
            s.persisted_at,
            s.run_seq > r.last_seq
            and pg_catalog.row_number() over (partition by e.run_id, e.idempotency_key order by e.index) = 1 as is_new
        from pg_catalog.unnest(p_events) as e
        inner join runstore.run_counters as r on e.run_id = r.run_id
        cross join lateral (
            select k.event_id, k.run_seq, k.persisted_at from runstore.run_events as k
            where k.run_id = e.run_id and k.idempotency_key = e.idempotency_key
            limit 1
        ) as s
    ) as a
    order by a.index;
end
$$;

comment on function runstore.append_mixed_events(runstore.incoming_event[], timestamptz) is
'Appends the new events of a checked batch and answers all of them.';

revoke all on function runstore.append_mixed_events(runstore.incoming_event[], timestamptz) from public;
