-- Removes the notes of runs that were projected to the end of their log, and answers with those runs; the others are
-- put back in line: at its end, or for later when a gap holds them up. A note is removed under the run's lock and only
-- if the log still ends where the projection does, so an append either was folded or writes a new note. Locks
-- run_counters and due_runs rows of runs that have a note, and passes over those that others hold, so that neither
-- appends nor projectors wait for each other here.
create function runstore.settle_runs(p_spans runstore.fold_span[])
returns text[]
language plpgsql volatile
as $$
declare
    v_now constant timestamptz := runstore.clock();
    v_caught_up text[];
    v_noted text[];
begin
    v_noted := array(
        select w.run_id
        from pg_catalog.unnest(p_spans) as s
        inner join runstore.due_runs as w on s.run_id = w.run_id and w.consumer = 'projector'
        where s.gap_seq is not null
        for update of w skip locked
    );

    update runstore.due_runs as d
    set
        retry_at = v_now + runstore.retry_delay('projector', d.attempts + 1),
        attempts = d.attempts + 1,
        wants_resync = true
    where d.run_id = any(v_noted) and d.consumer = 'projector';

    insert into runstore.due_runs (run_id, consumer, due_since, retry_at, attempts, wants_resync)
    select s.run_id, 'projector', v_now, v_now + runstore.retry_delay('projector', 1), 1, true
    from pg_catalog.unnest(p_spans) as s
    where
        s.gap_seq is not null
        and not exists (select from runstore.due_runs as d where d.run_id = s.run_id and d.consumer = 'projector')
    on conflict do nothing;

    v_caught_up := array(
        select r.run_id
        from pg_catalog.unnest(p_spans) as s
        inner join runstore.run_counters as r on s.run_id = r.run_id and s.to_seq = r.last_seq
        where
            s.gap_seq is null
            and (
                r.due_from_seq is not null
                or exists (select from runstore.due_runs as w where w.run_id = s.run_id and w.consumer = 'projector')
            )
        for no key update of r skip locked
    );

    update runstore.run_counters as r
    set due_from_seq = null
    where r.run_id = any(v_caught_up) and r.due_from_seq is not null;

    v_noted := array(
        select w.run_id
        from runstore.due_runs as w
        where w.run_id = any(v_caught_up) and w.consumer = 'projector'
        for update skip locked
    );

    delete from runstore.due_runs as d
    where d.run_id = any(v_noted) and d.consumer = 'projector';

    v_noted := array(
        select w.run_id
        from pg_catalog.unnest(p_spans) as s
        inner join runstore.due_runs as w on s.run_id = w.run_id and w.consumer = 'projector'
        where s.gap_seq is null and s.run_id <> all(v_caught_up)
        for update of w skip locked
    );

    update runstore.due_runs as d
    set
        due_since = coalesce(
            (
                select e.persisted_at
                from pg_catalog.unnest(p_spans) as s
                inner join runstore.run_events as e on s.run_id = e.run_id and e.run_seq = s.to_seq + 1
                where s.run_id = d.run_id
            ),
            v_now
        ),
        retry_at = null,
        attempts = 0,
        wants_resync = false
    where d.run_id = any(v_noted) and d.consumer = 'projector';

    return v_caught_up;
end
$$;

comment on function runstore.settle_runs(runstore.fold_span[]) is
'Removes the notes of runs that are projected to their end, and puts the others back in line.';

revoke all on function runstore.settle_runs(runstore.fold_span[]) from public;
