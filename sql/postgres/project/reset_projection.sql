-- Takes the projections of runs back to nothing, for a fold from the start of the log in the same transaction. The
-- caller holds the projection locks of the runs.
create function runstore.reset_projection(p_run_ids text[])
returns void
language plpgsql volatile
as $$
begin
    delete from runstore.run_steps as s where s.run_id = any(p_run_ids);

    update runstore.run_states as t
    set last_event_seq = 0, is_consistent = true
    where t.run_id = any(p_run_ids);
end
$$;

comment on function runstore.reset_projection(text[]) is
'Takes the projections of runs back to nothing.';

revoke all on function runstore.reset_projection(text[]) from public;
