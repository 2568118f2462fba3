-- Takes the projection lock of a run and waits for it: its rows in due_runs and run_states, in this order, until the
-- transaction ends. A run that has neither is projected to its end, or its first event is not committed yet.
create function runstore.lock_projection(p_run_id text)
returns void
language plpgsql volatile
as $$
begin
    perform from runstore.due_runs as d where d.run_id = p_run_id and d.consumer = 'projector' for update;
    perform from runstore.run_states as t where t.run_id = p_run_id for no key update;
end
$$;

comment on function runstore.lock_projection(text) is 'Takes the projection lock of a run, and waits for it.';

revoke all on function runstore.lock_projection(text) from public;
