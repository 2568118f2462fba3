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
