-- Brings the counters of a batch's runs to the last event of each run's log, and notes for the consumers of the log,
-- where there are any, the runs that are not noted yet. Answers whether the caller has to project the runs inline: the
-- settings are read once, so that whoever changes them meanwhile, the runs are either noted or projected. The caller
-- holds the runs' locks and has inserted the events. Two statements; one index entry per run.
create function runstore.advance_counters(p_events runstore.incoming_event[])
returns boolean
language plpgsql volatile
as $$
declare
    v_log_is_followed boolean;
    v_projects_inline boolean;
begin
    select c.log_is_followed, c.projection_mode = 'inline'
    into v_log_is_followed, v_projects_inline
    from runstore.config as c
    where c.singleton;

    with advanced as (
        update runstore.run_counters as r
        set
            last_seq = l.run_seq,
            last_persisted_at = l.persisted_at,
            due_from_seq = case when v_log_is_followed then coalesce(r.due_from_seq, l.run_seq) end
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
        where e.nth = 1 and r.run_id = e.run_id and r.last_seq < l.run_seq
        returning r.run_id, r.last_seq, r.last_persisted_at, r.due_from_seq
    )

    insert into runstore.due_runs (run_id, consumer, due_since)
    select a.run_id, f.name, a.last_persisted_at
    from advanced as a
    cross join runstore.consumers as f
    where a.due_from_seq = a.last_seq and (f.is_active or (f.name = 'projector' and not v_projects_inline))
    on conflict do nothing;

    return v_projects_inline;
end
$$;

comment on function runstore.advance_counters(runstore.incoming_event[]) is
'Brings the counters of a batch''s runs to the end of their logs, and notes the runs for their consumers.';

revoke all on function runstore.advance_counters(runstore.incoming_event[]) from public;
