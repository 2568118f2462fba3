-- Raises INVALID_TRANSITION for events that the transitions refused, with the state at which each was refused and the
-- one that it meant to reach; those up to a stretch's known_seq were reported before and are left out. Locks the
-- alerts' rows; reads the events by their keys.
create function runstore.alert_refusals(
    p_spans runstore.fold_span[], p_run_ids text[], p_run_seqs bigint[], p_codes text[]
)
returns void
language plpgsql volatile
as $$
begin
    perform runstore.raise_alert(
        'INVALID_TRANSITION', r.run_id, c.tenant_id, e.event_id, e.run_seq,
        pg_catalog.jsonb_strip_nulls(pg_catalog.jsonb_build_object(
            'eventType', e.event_type,
            'stepId', e.step_id,
            'logicalAttemptId', e.logical_attempt_id,
            'emittedAt', runstore.utc_text(e.emitted_at),
            'priorState', k.status,
            'attemptedState', x.target_status
        ))
    )
    from rows from (
        pg_catalog.unnest(p_run_ids), pg_catalog.unnest(p_run_seqs), pg_catalog.unnest(p_codes)
    ) as r (run_id, run_seq, code)
    inner join pg_catalog.unnest(p_spans) as s on r.run_id = s.run_id and r.run_seq > s.known_seq
    inner join runstore.run_counters as c on r.run_id = c.run_id
    cross join lateral (
        select l.* from runstore.run_events as l where l.run_id = r.run_id and l.run_seq = r.run_seq limit 1
    ) as e
    inner join runstore.event_effects as x on e.event_type = x.event_type
    inner join runstore.statuses as k on x.machine = k.machine and r.code = k.code;
end
$$;

comment on function runstore.alert_refusals(runstore.fold_span[], text[], bigint[], text[]) is
'Raises INVALID_TRANSITION for events that the transitions refused.';

revoke all on function runstore.alert_refusals(runstore.fold_span[], text[], bigint[], text[]) from public;
