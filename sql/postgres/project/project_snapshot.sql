-- Brings a run's snapshot up to the end of its log, stores it and returns it. Where a gap or a failure holds the run
-- up, the snapshot is the last good one, with stale: true, and an alert is raised. RS012 for an unknown run.
-- Locks the run's projection until the transaction ends, and waits for another projector of the run. Appends to the
-- run wait for it only if it had something to project, and only from its end on: commit soon.
create function runstore.project_snapshot(p_run_id text)
returns jsonb
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
as $$
begin
    perform runstore.check_run(p_run_id);
    perform runstore.lock_projection(p_run_id);
    perform runstore.settle_runs(array(select s from runstore.project_runs(array[p_run_id]) as s));
    return runstore.get_snapshot(p_run_id);
end
$$;

comment on function runstore.project_snapshot(text) is
'Brings a run''s snapshot up to the end of its log and returns it. RS012 for an unknown run.';

revoke all on function runstore.project_snapshot(text) from public;
grant execute on function runstore.project_snapshot(text) to runstore_worker, runstore_admin;
