-- Brings the counters of a batch's runs to the last event of each run's log, and notes for the consumers of the log,
-- where there are any, the runs that are not noted yet. The caller holds the runs' locks and has inserted the events.
-- One statement, or two; one index entry per run.
create function runstore.advance_counters(p_events runstore.incoming_event[])
returns void
language plpgsql volatile
as $$
declare
    v_newly_due text[];
    v_persisted_at timestamptz;
begin
    with advanced as (
        update runstore.run_counters as r
        set
            last_seq = l.run_seq,
            last_persisted_at = l.persisted_at,
            due_from_seq = case when c.log_is_followed then coalesce(r.due_from_seq, l.run_seq) end
        from pg_catalog.unnest(p_events) as e
        cross join runstore.config as c
        cross join lateral (
            select
                k.run_seq,
                k.persisted_at
            from runstore.run_events as k
            where k.run_id = e.run_id
            order by k.run_seq desc
            limit 1
        ) as l
        where e.nth = 1 and c.singleton and r.run_id = e.run_id and r.last_seq < l.run_seq
        returning r.run_id, r.last_seq, r.last_persisted_at, r.due_from_seq
    )

    select
        pg_catalog.array_agg(a.run_id order by a.run_id),
        pg_catalog.min(a.last_persisted_at)
    into v_newly_due, v_persisted_at
    from advanced as a
    where a.due_from_seq = a.last_seq;

    if v_newly_due is not null then
        perform runstore.note_runs(v_newly_due, v_persisted_at);
    end if;
end
$$;

comment on function runstore.advance_counters(runstore.incoming_event[]) is
'Brings the counters of a batch''s runs to the end of their logs.';

revoke all on function runstore.advance_counters(runstore.incoming_event[]) from public;
