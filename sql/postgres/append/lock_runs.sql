-- Takes the locks of all runs of a batch: their rows in run_counters, in run_id order and until the transaction ends.
-- A run that is new gets its row here, with the identity of its first event in the batch and no events yet; one that
-- is there is locked and not changed. One statement.
create function runstore.lock_runs(p_events runstore.incoming_event[])
returns void
language plpgsql volatile
as $$
begin
    insert into runstore.run_counters as r (
        run_id, tenant_id, project_id, environment_id, last_seq, last_persisted_at
    )
    select e.run_id, e.tenant_id, e.project_id, e.environment_id, 0, '-infinity'
    from pg_catalog.unnest(p_events) as e
    where e.nth = 1
    order by e.run_id collate "C"
    on conflict (run_id) do update set last_seq = r.last_seq where false;
end
$$;

comment on function runstore.lock_runs(runstore.incoming_event[]) is
'Takes the locks of all runs of a batch, in run_id order.';

revoke all on function runstore.lock_runs(runstore.incoming_event[]) from public;
