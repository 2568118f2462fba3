-- Puts the counter of a run back to where it was before the append that took p_seq, which found its event stored
-- already. The caller holds the run's lock. One HOT update.
create function runstore.give_back_seq(p_run_id text, p_seq bigint)
returns void
language sql volatile
as $$
    update runstore.run_counters as r
    set
        last_seq = e.run_seq,
        last_persisted_at = e.persisted_at,
        due_from_seq = nullif(r.due_from_seq, p_seq)
    from runstore.run_events as e
    where r.run_id = p_run_id and e.run_id = p_run_id and e.run_seq = p_seq - 1;
$$;

comment on function runstore.give_back_seq(text, bigint) is
'Puts a run''s counter back to where it was before p_seq was taken.';

revoke all on function runstore.give_back_seq(text, bigint) from public;
