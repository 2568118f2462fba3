-- Parks a run whose projection failed: it keeps its last good snapshot, which is marked stale, PROJECTION_FAILED is
-- raised, and the projector comes back to it after a while, the longer the oftener it failed. Locks the run's rows in
-- run_states and due_runs, and the alert's.
create function runstore.park_run(p_run_id text, p_sqlstate text, p_message text)
returns void
language plpgsql volatile
as $$
declare
    v_now constant timestamptz := runstore.clock();
begin
    insert into runstore.run_states as t (
        run_id, tenant_id, project_id, environment_id, status, last_event_seq, version, begun_at, projected_at,
        is_consistent, halted_by
    )
    select
        c.run_id, c.tenant_id, c.project_id, c.environment_id, 'PENDING', 0, 0,
        coalesce(e.persisted_at, c.last_persisted_at), v_now, true, 'FAILURE'
    from runstore.run_counters as c
    left join runstore.run_events as e on c.run_id = e.run_id and e.run_seq = 1
    where c.run_id = p_run_id
    on conflict (run_id) do update set halted_by = excluded.halted_by;

    perform runstore.raise_alert(
        'PROJECTION_FAILED', t.run_id, t.tenant_id, null, t.last_event_seq + 1,
        pg_catalog.jsonb_build_object('sqlstate', p_sqlstate, 'message', p_message, 'lastSeq', t.last_event_seq)
    )
    from runstore.run_states as t
    where t.run_id = p_run_id and not runstore.alert_is_held('PROJECTION_FAILED', p_run_id);

    insert into runstore.due_runs as d (run_id, consumer, due_since, retry_at, attempts)
    values (p_run_id, 'projector', v_now, v_now + runstore.retry_delay('projector', 1), 1)
    on conflict (run_id, consumer) do update set
        retry_at = v_now + runstore.retry_delay('projector', d.attempts + 1),
        attempts = d.attempts + 1,
        wants_resync = false;
end
$$;

comment on function runstore.park_run(text, text, text) is
'Parks a run whose projection failed, with an alert, until a later attempt.';

revoke all on function runstore.park_run(text, text, text) from public;
