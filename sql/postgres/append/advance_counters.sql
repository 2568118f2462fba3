-- Brings the counters of a batch's runs to the last event of each run's log. The caller holds the runs' locks and has
-- inserted the events. One statement; one index entry per run.
create function runstore.advance_counters(p_events runstore.incoming_event[])
returns void
language plpgsql volatile
as $$
begin
    update runstore.run_counters as r
    set
        last_seq = l.run_seq,
        last_persisted_at = l.persisted_at
    from pg_catalog.unnest(p_events) as e
    cross join lateral (
        select
            k.run_seq,
            k.persisted_at
        from runstore.run_events as k
        where k.run_id = e.run_id
        order by k.run_seq desc
        limit 1
    ) as l
    where e.nth = 1 and r.run_id = e.run_id and r.last_seq < l.run_seq;
end
$$;

comment on function runstore.advance_counters(runstore.incoming_event[]) is
'Brings the counters of a batch''s runs to the end of their logs.';

revoke all on function runstore.advance_counters(runstore.incoming_event[]) from public;
