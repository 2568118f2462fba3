-- Projects runs in the transaction that appended to them, for projection_mode inline. Where transitions are enforced,
-- events that they do not allow are refused first (RS004). A projection that fails is parked, and the append stands; a
-- run that another session is projecting at this moment, or that is parked, is left to the projector. The caller holds
-- the runs' locks. p_event_ids are the events of the append, in the order of its batch.
create function runstore.project_append(p_run_ids text[], p_event_ids uuid[], p_is_batch boolean)
returns void
language plpgsql volatile
as $$
declare
    v_runs text[];
begin
    if (select c.enforce_transitions from runstore.config as c where c.singleton) then
        perform runstore.check_transitions(p_run_ids, p_event_ids, p_is_batch);
    end if;

    v_runs := array(
        select r.run_id
        from pg_catalog.unnest(p_run_ids) as r (run_id)
        where
            not exists (
                select from runstore.due_runs as d
                where d.run_id = r.run_id and d.consumer = 'projector' and d.retry_at > runstore.clock()
            )
    );
    v_runs := array(select l.run_id from runstore.try_lock_projections(v_runs) as l (run_id));
    perform runstore.project_runs(v_runs);

    insert into runstore.due_runs (run_id, consumer, due_since)
    select r.run_id, 'projector', runstore.clock()
    from pg_catalog.unnest(p_run_ids) as r (run_id)
    where r.run_id <> all(v_runs)
    on conflict do nothing;
end
$$;

comment on function runstore.project_append(text[], uuid[], boolean) is
'Projects runs in the transaction that appended to them.';

revoke all on function runstore.project_append(text[], uuid[], boolean) from public;
