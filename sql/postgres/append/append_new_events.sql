-- Appends a batch in which every event is new, belongs to its run's identity and is no signal, and answers in input
-- order; the counters are left to the caller, who holds the runs' locks. Raises unique_violation when an event is not
-- new, its id is taken or its identity is not the run's: the caller then undoes this and looks at each event. One
-- INSERT.
create function runstore.append_new_events(p_events runstore.incoming_event[], p_now timestamptz)
returns setof runstore.append_result
language plpgsql volatile
as $$
declare
    v_inserted bigint;
begin
    insert into runstore.run_events (
        run_id, run_seq, event_id, event_type, step_id, engine_attempt_id, logical_attempt_id, plan_id, plan_version,
        idempotency_key, payload, emitted_at, persisted_at, adapter_version, engine_run_ref, caused_by_signal_id,
        parent_event_id
    )
    select
        e.run_id, r.last_seq + e.nth, e.event_id, e.event_type, e.step_id, e.engine_attempt_id, e.logical_attempt_id,
        e.plan_id, e.plan_version, e.idempotency_key, e.payload, e.emitted_at,
        greatest(p_now, r.last_persisted_at), e.adapter_version, e.engine_run_ref, e.caused_by_signal_id,
        e.parent_event_id
    from pg_catalog.unnest(p_events) as e
    inner join runstore.run_counters as r
        on
            e.run_id = r.run_id
            and e.tenant_id = r.tenant_id
            and e.project_id = r.project_id
            and e.environment_id = r.environment_id;

    get diagnostics v_inserted = row_count;

    if v_inserted < pg_catalog.cardinality(p_events) then
        raise unique_violation;
    end if;

    return query
    select e.event_id, r.last_seq + e.nth, greatest(p_now, r.last_persisted_at), false, true
    from pg_catalog.unnest(p_events) as e
    inner join runstore.run_counters as r on e.run_id = r.run_id
    order by e.index;
end
$$;

comment on function runstore.append_new_events(runstore.incoming_event[], timestamptz) is
'Appends a batch in which every event is new; raises when one is not.';

revoke all on function runstore.append_new_events(runstore.incoming_event[], timestamptz) from public;
