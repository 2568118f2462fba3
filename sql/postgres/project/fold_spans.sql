-- How far each run's log can be folded: from the stored projection, or from nothing, up to its end, p_up_to_seq or the
-- event before a gap, whichever comes first. The log's end is what run_counters says in the same snapshot, so that
-- missing events at the end are a gap too. Unknown runs are left out. Locks nothing; reads the stretch's rows once.
create function runstore.fold_spans(p_run_ids text[], p_from_start boolean, p_up_to_seq bigint default null)
returns setof runstore.fold_span
language plpgsql stable
as $$
begin
    return query
    select
        r.run_id,
        f.from_seq,
        u.to_seq,
        coalesce(t.last_event_seq, 0),
        g.next_seq,
        case when u.to_seq < least(r.last_seq, p_up_to_seq) then u.to_seq + 1 end,
        u.to_seq = r.last_seq,
        case
            when f.from_seq > 0
                then (
                    select pg_catalog.array_agg(distinct e.step_id)
                    from runstore.run_events as e
                    where
                        e.run_id = r.run_id
                        and e.run_seq > f.from_seq
                        and e.run_seq <= u.to_seq
                        and e.step_id is not null
                )
        end
    from pg_catalog.unnest(p_run_ids) as i (run_id)
    cross join lateral (
        select c.run_id, c.last_seq from runstore.run_counters as c where c.run_id = i.run_id limit 1
    ) as r
    left join lateral (
        select k.last_event_seq from runstore.run_states as k where k.run_id = i.run_id limit 1
    ) as t on true
    cross join lateral (
        select case when p_from_start then 0 else coalesce(t.last_event_seq, 0) end as from_seq
    ) as f
    cross join lateral (
        select
            pg_catalog.count(*) as events,
            pg_catalog.max(l.run_seq) as last_seq
        from runstore.run_events as l
        where
            l.run_id = r.run_id
            and l.run_seq > f.from_seq
            and l.run_seq <= coalesce(p_up_to_seq, 9223372036854775807)
    ) as n
    left join lateral (
        select
            pg_catalog.count(*) filter (where l.run_seq = f.from_seq + l.nth) as unbroken,
            pg_catalog.min(l.run_seq) filter (where l.run_seq > f.from_seq + l.nth) as next_seq
        from (
            select
                e.run_seq,
                pg_catalog.row_number() over (order by e.run_seq) as nth
            from runstore.run_events as e
            where e.run_id = r.run_id and e.run_seq > f.from_seq and e.run_seq <= n.last_seq
        ) as l
    ) as g on n.events < n.last_seq - f.from_seq
    cross join lateral (select f.from_seq + coalesce(g.unbroken, n.events) as to_seq) as u;
end
$$;

comment on function runstore.fold_spans(text[], boolean, bigint) is
'How far each run''s log can be folded, and whether a gap stops it.';

revoke all on function runstore.fold_spans(text[], boolean, bigint) from public;
