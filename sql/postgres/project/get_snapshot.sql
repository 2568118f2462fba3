-- The stored snapshot of a run; null when there is none, or when the run is not the tenant's that the session's login
-- is bound to. Both tables are read by one statement, so no answer shows half a projection. Takes no lock, never
-- waits; reads one row and the run's steps.
create function runstore.get_snapshot(p_run_id text)
returns jsonb
language plpgsql stable parallel safe security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_snapshot jsonb;
begin
    select
        runstore.snapshot_json(
            r.run_id, r.tenant_id, r.project_id, r.environment_id, r.status, r.last_event_seq, r.started_at,
            r.completed_at, r.engine_run_ref, r.artifacts, r.error, r.is_consistent, s.steps, s.artifacts,
            s.failed_steps, r.halted_by is not null, r.projected_at
        )
    into v_snapshot
    from runstore.run_states as r
    cross join lateral (
        select
            string_agg(
                runstore.step_json(
                    p.step_id, p.status, p.logical_attempt_id, p.engine_attempt_id, p.started_at, p.completed_at,
                    p.artifacts, p.error, p.reason
                ),
                ',' order by p.first_seq
            ) as steps,
            string_agg(runstore.array_items(p.artifacts), ',' order by p.first_seq) as artifacts,
            count(*) filter (where p.status = 'FAILED') as failed_steps
        from runstore.run_steps as p
        where p.run_id = r.run_id
    ) as s
    where r.run_id = p_run_id and not runstore.tenant_is_foreign(r.tenant_id);

    return v_snapshot;
end
$$;

comment on function runstore.get_snapshot(text) is
'The stored snapshot of a run, null when there is none.';

revoke all on function runstore.get_snapshot(text) from public;
grant execute on function runstore.get_snapshot(text) to runstore_reader, runstore_worker, runstore_admin;
