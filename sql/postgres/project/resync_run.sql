-- Makes a run's snapshot anew and returns it: from the whole log (FULL), which also mends a damaged projection, or from
-- the stored snapshot on (FROM_SNAPSHOT). A run that was halted or parked is tried at once. Where events are missing
-- from the log below the stored snapshot, that snapshot is kept, and is stale. RS010 for another mode,
-- RS012 for an unknown run. Locks as project_snapshot() does; readers see the old snapshot until the transaction ends.
create function runstore.resync_run(p_run_id text, p_mode text default 'FULL')
returns jsonb
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
as $$
begin
    if coalesce(p_mode, 'FULL') not in ('FULL', 'FROM_SNAPSHOT') then
        perform runstore.raise_error(
            'RS010',
            format('mode %L is no way to resync a run', p_mode),
            'Use FULL for the whole log, or FROM_SNAPSHOT for what is new in it.',
            'mode', p_mode, 'FULL or FROM_SNAPSHOT'
        );
    end if;

    perform runstore.check_run(p_run_id);
    perform runstore.lock_projection(p_run_id);
    perform runstore.settle_runs(array(
        select s from runstore.project_runs(array[p_run_id], p_mode is distinct from 'FROM_SNAPSHOT') as s
    ));
    return runstore.get_snapshot(p_run_id);
end
$$;

comment on function runstore.resync_run(text, text) is
'Makes a run''s snapshot anew: FULL from the whole log, FROM_SNAPSHOT from the stored one on.';

revoke all on function runstore.resync_run(text, text) from public;
grant execute on function runstore.resync_run(text, text) to runstore_worker, runstore_admin;
