-- Takes the projection locks of those runs that nobody else is projecting, and answers with them. Locks rows of
-- run_states until the transaction ends; never waits. A run without a row there is new: whoever holds its row in
-- due_runs, or the run's own lock, is alone with it.
create function runstore.try_lock_projections(p_run_ids text[])
returns setof text
language plpgsql volatile
as $$
begin
    return query
    select r.run_id
    from pg_catalog.unnest(p_run_ids) as r (run_id)
    where not exists (select from runstore.run_states as t where t.run_id = r.run_id);

    return query
    select t.run_id
    from runstore.run_states as t
    where t.run_id = any(p_run_ids)
    for no key update skip locked;
end
$$;

comment on function runstore.try_lock_projections(text[]) is
'Takes the projection locks of the runs that nobody else is projecting.';

revoke all on function runstore.try_lock_projections(text[]) from public;
