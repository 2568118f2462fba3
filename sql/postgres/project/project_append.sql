-- Projects runs in the transaction that appended to them, for projection_mode inline. A projection that fails is
-- parked, and the append stands; a run that another session is projecting at this moment, or that is parked, is left to
-- the projector. Waits for nobody. The caller holds the runs' locks.
create function runstore.project_append(p_run_ids text[])
returns void
language plpgsql volatile
set plan_cache_mode = force_generic_plan
as $$
declare
    v_free_runs text[];
begin
    v_free_runs := array(
        select d.run_id
        from runstore.due_runs as d
        where
            d.run_id = any(p_run_ids)
            and d.consumer = 'projector'
            and (d.retry_at is null or d.retry_at <= runstore.clock())
        for update skip locked
    );
    v_free_runs := array(
        select r.run_id
        from pg_catalog.unnest(p_run_ids) as r (run_id)
        where
            r.run_id = any(v_free_runs)
            or not exists (select from runstore.due_runs as d where d.run_id = r.run_id and d.consumer = 'projector')
    );
    v_free_runs := array(select l.run_id from runstore.try_lock_projections(v_free_runs) as l (run_id));

    perform runstore.settle_runs(array(select s from runstore.project_runs(v_free_runs) as s));

    insert into runstore.due_runs (run_id, consumer, due_since)
    select r.run_id, 'projector', runstore.clock()
    from pg_catalog.unnest(p_run_ids) as r (run_id)
    where
        r.run_id <> all(v_free_runs)
        and not exists (select from runstore.due_runs as d where d.run_id = r.run_id and d.consumer = 'projector')
    on conflict do nothing;
end
$$;

comment on function runstore.project_append(text[]) is
'Projects runs in the transaction that appended to them.';

revoke all on function runstore.project_append(text[]) from public;
