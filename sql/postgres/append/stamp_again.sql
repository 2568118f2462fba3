-- Reads the clock again for a run whose lock the caller holds. The statement that takes the lock reads the clock just
-- before it has it; when it then waits for a transaction that rolls back, that reading is as old as the wait. One HOT
-- update.
create function runstore.stamp_again(p_run_id text)
returns timestamptz
language plpgsql volatile
as $$
declare
    v_persisted_at timestamptz;
begin
    update runstore.run_counters as r
    set last_persisted_at = greatest(runstore.clock(), r.last_persisted_at)
    where r.run_id = p_run_id
    returning r.last_persisted_at into v_persisted_at;

    return v_persisted_at;
end
$$;

comment on function runstore.stamp_again(text) is
'Reads the clock again for a run whose lock the caller holds.';

revoke all on function runstore.stamp_again(text) from public;
