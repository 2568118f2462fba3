-- Refuses a batch for its lowest element that the transitions do not allow (RS004), where they are enforced. Elements
-- whose key was known are not held to them. The caller holds the runs' locks, has inserted the events, and has not
-- advanced the counters yet: what lies beyond them is new. One read of config; where transitions are enforced, one
-- index probe per element and a fold.
create function runstore.check_batch_transitions(p_events runstore.incoming_event[])
returns void
language plpgsql volatile
as $$
declare
    v_run_ids text[];
    v_run_seqs bigint[];
    v_indexes int[];
begin
    if not (select c.enforce_transitions from runstore.config as c where c.singleton) then
        return;
    end if;

    select
        pg_catalog.array_agg(n.run_id),
        pg_catalog.array_agg(n.run_seq),
        pg_catalog.array_agg(n.index)
    into v_run_ids, v_run_seqs, v_indexes
    from (
        select
            e.run_id,
            k.run_seq,
            pg_catalog.min(e.index) as index
        from pg_catalog.unnest(p_events) as e
        inner join runstore.run_counters as r on e.run_id = r.run_id
        cross join lateral (
            select l.run_seq from runstore.run_events as l
            where l.run_id = e.run_id and l.idempotency_key = e.idempotency_key
            limit 1
        ) as k
        where k.run_seq > r.last_seq
        group by e.run_id, k.run_seq
    ) as n;

    perform runstore.check_transitions(v_run_ids, v_run_seqs, v_indexes);
end
$$;

comment on function runstore.check_batch_transitions(runstore.incoming_event[]) is
'Raises RS004 for the lowest element of a batch that the transitions do not allow.';

revoke all on function runstore.check_batch_transitions(runstore.incoming_event[]) from public;
