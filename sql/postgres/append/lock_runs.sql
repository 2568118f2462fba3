-- Takes the locks of all runs of a batch: rows in run_counters, made first for runs that are new (with the identity
-- of their first event in the batch, and no events yet), then locked for the others, each in run_id order and until
-- the transaction ends. A run that is new to two batches at once belongs to the one that commits; the other finds it
-- there.
create function runstore.lock_runs(p_events runstore.incoming_event[])
returns void
language plpgsql volatile
as $$
begin
    insert into runstore.run_counters (
        run_id, tenant_id, project_id, environment_id, last_seq, last_persisted_at
    )
    select e.run_id, e.tenant_id, e.project_id, e.environment_id, 0, '-infinity'
    from pg_catalog.unnest(p_events) as e
    where e.nth = 1 and not exists (select from runstore.run_counters as r where r.run_id = e.run_id)
    order by e.run_id
    on conflict do nothing;

    perform
    from runstore.run_counters as r
    where r.run_id in (select e.run_id from pg_catalog.unnest(p_events) as e where e.nth = 1)
    order by r.run_id
    for no key update;
end
$$;

comment on function runstore.lock_runs(runstore.incoming_event[]) is
'Takes the locks of all runs of a batch, in an order that cannot deadlock.';

revoke all on function runstore.lock_runs(runstore.incoming_event[]) from public;
