-- Projecting runs: on demand, in the background, or in the appending transaction.
-- depends: 0015.projecting

-- Folds what is new in runs, or their whole logs when p_from_start, into the projection, and answers with the stretches
-- that were folded; settle_runs() has to follow. A run whose projection fails is parked, left out of the answer, and
-- does not hold up the others: when all together fail, each is tried by itself. Races, deadlocks and lock timeouts end
-- the transaction, as anywhere. A run whose log has a gap below the stored projection stays halted as it is; that is
-- looked for when the fold is to begin at the start, and while the run is halted by a gap. The caller holds the
-- projection locks of the runs.
create function runstore.project_runs(p_run_ids text[], p_from_start boolean default false)
returns setof runstore.fold_span
language plpgsql volatile
as $$
declare
    v_doubtful text[];
    v_spans runstore.fold_span[];
    v_run_id text;
    v_sqlstate text;
    v_message text;
begin
    if p_run_ids = '{}' then
        return;
    end if;

    begin
        v_doubtful := array(
            select r.run_id
            from pg_catalog.unnest(p_run_ids) as r (run_id)
            where
                p_from_start
                or (select t.halted_by from runstore.run_states as t where t.run_id = r.run_id) = 'GAP'
        );
        v_spans := array(
            select
                case
                    when b.gap_seq is not null
                        then row(
                            s.run_id, s.known_seq, s.known_seq, s.known_seq, b.next_seq, b.gap_seq, false, null
                        )::runstore.fold_span
                    else s
                end
            from runstore.fold_spans(p_run_ids, p_from_start) as s
            left join runstore.fold_spans(v_doubtful, true) as b on s.run_id = b.run_id and s.known_seq >= b.gap_seq
        );

        if p_from_start then
            perform runstore.reset_projection(
                array(select s.run_id from pg_catalog.unnest(v_spans) as s where s.from_seq = 0)
            );
        end if;

        perform runstore.store_fold(v_spans);

        return query select s.* from pg_catalog.unnest(v_spans) as s;
        return;
    exception
        when serialization_failure or deadlock_detected or lock_not_available then
            raise;
        when others then
            get stacked diagnostics v_sqlstate = returned_sqlstate, v_message = message_text;
    end;

    if pg_catalog.cardinality(p_run_ids) = 1 then
        perform runstore.park_run(p_run_ids[1], v_sqlstate, v_message);
        return;
    end if;

    foreach v_run_id in array p_run_ids loop
        return query select s.* from runstore.project_runs(array[v_run_id], p_from_start) as s;
    end loop;
end
$$;

comment on function runstore.project_runs(text[], boolean) is
'Folds what is new in runs into the projection; parks those that fail.';

revoke all on function runstore.project_runs(text[], boolean) from public;

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

-- Takes the projection locks of those runs that nobody else is projecting, and answers with them. Locks rows of
-- run_states until the transaction ends; never waits. A run without a row there is new: whoever holds its row in
-- due_runs, or the run's own lock, is alone with it.
create function runstore.try_lock_projections(p_run_ids text[])
returns setof text
language plpgsql volatile
as $$
begin
    return query
    select r.run_id
    from pg_catalog.unnest(p_run_ids) as r (run_id)
    where not exists (select from runstore.run_states as t where t.run_id = r.run_id);

    return query
    select t.run_id
    from runstore.run_states as t
    where t.run_id = any(p_run_ids)
    for no key update skip locked;
end
$$;

comment on function runstore.try_lock_projections(text[]) is
'Takes the projection locks of the runs that nobody else is projecting.';

revoke all on function runstore.try_lock_projections(text[]) from public;

-- Projects runs in the transaction that appended to them, for projection_mode inline. A projection that fails is
-- parked, and the append stands; a run that another session is projecting at this moment, or that is parked, is left to
-- the projector. Waits for nobody. The caller holds the runs' locks.
create function runstore.project_append(p_run_ids text[])
returns void
language plpgsql volatile
set plan_cache_mode = force_generic_plan
as $$
declare
    v_free_runs text[];
begin
    v_free_runs := array(
        select d.run_id
        from runstore.due_runs as d
        where
            d.run_id = any(p_run_ids)
            and d.consumer = 'projector'
            and (d.retry_at is null or d.retry_at <= runstore.clock())
        for update skip locked
    );
    v_free_runs := array(
        select r.run_id
        from pg_catalog.unnest(p_run_ids) as r (run_id)
        where
            r.run_id = any(v_free_runs)
            or not exists (select from runstore.due_runs as d where d.run_id = r.run_id and d.consumer = 'projector')
    );
    v_free_runs := array(select l.run_id from runstore.try_lock_projections(v_free_runs) as l (run_id));

    perform runstore.settle_runs(array(select s from runstore.project_runs(v_free_runs) as s));

    insert into runstore.due_runs (run_id, consumer, due_since)
    select r.run_id, 'projector', runstore.clock()
    from pg_catalog.unnest(p_run_ids) as r (run_id)
    where
        r.run_id <> all(v_free_runs)
        and not exists (select from runstore.due_runs as d where d.run_id = r.run_id and d.consumer = 'projector')
    on conflict do nothing;
end
$$;

comment on function runstore.project_append(text[]) is
'Projects runs in the transaction that appended to them.';

revoke all on function runstore.project_append(text[]) from public;

-- The projector's step: takes up to p_max_runs runs that have events to fold, brings their snapshots up to the end of
-- their logs, and answers with how many that are. Call it again until it answers 0. Any number of projectors may run:
-- each run goes to one of them, and one that dies leaves its runs as they were. Runs are taken in the order in which
-- they became due; up to a tenth of the places goes to runs that failed before and are due for another attempt. Where
-- all that it took fail, it takes more: 0 means that nothing is left that could be done. A login that is bound to
-- tenants projects their runs only. RS010 for a limit outside 1 to 10000.
-- Locks the rows of the runs in due_runs and run_states, and run_counters at the very end, until the transaction ends;
-- passes over what others hold and waits for nobody. One fold for 500 runs together.
create function runstore.project_pending(p_max_runs int default 100)
returns bigint
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
as $$
declare
    v_max_runs constant int := coalesce(p_max_runs, 100);
    v_now constant timestamptz := runstore.clock();
    v_tenants text[];
    v_seen text[] := '{}'::text[];
    v_failed_runs text[];
    v_runs text[];
    v_some_runs text[];
    v_spans runstore.fold_span[] := '{}'::runstore.fold_span[];
    v_caught_up text[];
begin
    if v_max_runs not between 1 and 10000 then
        perform runstore.raise_error(
            'RS010',
            format('maxRuns %s is refused: expected 1 to 10000', v_max_runs),
            'Project at most 10000 runs at a time, and call again until the answer is 0.',
            'maxRuns', v_max_runs::text, 'a whole number from 1 to 10000'
        );
    end if;

    select s.tenants into v_tenants from runstore.session_tenants as s;

    loop
        v_failed_runs := array(
            select d.run_id
            from runstore.consumers as c
            inner join runstore.due_runs as d on c.name = d.consumer
            where
                c.name = 'projector'
                and (d.retry_at <= v_now or d.retry_at > v_now + c.max_retry)
                and d.run_id <> all(v_seen)
                and (
                    v_tenants is null
                    or exists (
                        select from runstore.run_counters as r
                        where r.run_id = d.run_id and r.tenant_id = any(v_tenants)
                    )
                )
            order by d.retry_at
            limit greatest(1, v_max_runs / 10)
            for update of d skip locked
        );

        v_runs := array(
            select d.run_id
            from runstore.due_runs as d
            where
                d.consumer = 'projector'
                and d.retry_at is null
                and d.run_id <> all(v_seen)
                and (
                    v_tenants is null
                    or exists (
                        select from runstore.run_counters as r
                        where r.run_id = d.run_id and r.tenant_id = any(v_tenants)
                    )
                )
            order by d.due_since
            limit v_max_runs - cardinality(v_failed_runs)
            for update skip locked
        );

        exit when v_runs = '{}' and v_failed_runs = '{}';
        v_seen := v_seen || v_runs || v_failed_runs;

        for v_some_runs in
            select array_agg(l.run_id)
            from runstore.try_lock_projections(v_runs) with ordinality as l (run_id, nth)
            group by (l.nth - 1) / 500
            union all
            select array[l.run_id]
            from runstore.try_lock_projections(v_failed_runs) as l (run_id)
        loop
            v_spans := v_spans || array(select s from runstore.project_runs(v_some_runs) as s);
        end loop;

        exit when exists (select from unnest(v_spans) as s where s.is_at_end);
    end loop;

    v_caught_up := runstore.settle_runs(v_spans);

    return (
        select count(*)
        from unnest(v_spans) as s
        where s.is_at_end and (s.to_seq > s.from_seq or s.run_id = any(v_caught_up))
    );
end
$$;

comment on function runstore.project_pending(int) is
'The projector''s step: brings up to p_max_runs waiting snapshots up to date; answers with how many.';

revoke all on function runstore.project_pending(int) from public;
grant execute on function runstore.project_pending(int) to runstore_worker, runstore_admin;

-- Brings a run's snapshot up to the end of its log, stores it and returns it. Where a gap or a failure holds the run
-- up, the snapshot is the last good one, with stale: true, and an alert is raised. RS012 for an unknown run.
-- Locks the run's projection until the transaction ends, and waits for another projector of the run. Appends to the
-- run wait for it only if it had something to project, and only from its end on: commit soon.
create function runstore.project_snapshot(p_run_id text)
returns jsonb
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
as $$
begin
    perform runstore.check_run(p_run_id);
    perform runstore.lock_projection(p_run_id);
    perform runstore.settle_runs(array(select s from runstore.project_runs(array[p_run_id]) as s));
    return runstore.get_snapshot(p_run_id);
end
$$;

comment on function runstore.project_snapshot(text) is
'Brings a run''s snapshot up to the end of its log and returns it. RS012 for an unknown run.';

revoke all on function runstore.project_snapshot(text) from public;
grant execute on function runstore.project_snapshot(text) to runstore_worker, runstore_admin;

-- Makes a run's snapshot anew and returns it: from the whole log (FULL), which also mends a damaged projection, or from
-- the stored snapshot on (FROM_SNAPSHOT). A run that was halted or parked is tried at once. Where events are missing
-- from the log below the stored snapshot, that snapshot is kept, and is stale. RS010 for another mode,
-- RS012 for an unknown run. Locks as project_snapshot() does; readers see the old snapshot until the transaction ends.
create function runstore.resync_run(p_run_id text, p_mode text default 'FULL')
returns jsonb
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
as $$
begin
    if coalesce(p_mode, 'FULL') not in ('FULL', 'FROM_SNAPSHOT') then
        perform runstore.raise_error(
            'RS010',
            format('mode %L is no way to resync a run', p_mode),
            'Use FULL for the whole log, or FROM_SNAPSHOT for what is new in it.',
            'mode', p_mode, 'FULL or FROM_SNAPSHOT'
        );
    end if;

    perform runstore.check_run(p_run_id);
    perform runstore.lock_projection(p_run_id);
    perform runstore.settle_runs(array(
        select s from runstore.project_runs(array[p_run_id], p_mode is distinct from 'FROM_SNAPSHOT') as s
    ));
    return runstore.get_snapshot(p_run_id);
end
$$;

comment on function runstore.resync_run(text, text) is
'Makes a run''s snapshot anew: FULL from the whole log, FROM_SNAPSHOT from the stored one on.';

revoke all on function runstore.resync_run(text, text) from public;
grant execute on function runstore.resync_run(text, text) to runstore_worker, runstore_admin;
