-- The projector's step: takes up to p_max_runs runs that have events to fold, brings them forward, and answers with
-- how many now stand at the end of their log. Call it again until it answers 0. Any number of projectors may run: each
-- run goes to one of them, and one that dies leaves its runs as they were. Runs are taken in the order in which they
-- became due; one that is far behind moves by 1000 events at a time, so that it does not keep the others waiting.
-- A login that is bound to tenants projects their runs only. RS010 for a limit outside 1 to 10000.
-- Locks the rows of the runs in due_runs and run_states, and run_counters at the end, until the transaction ends;
-- passes over what others hold and waits for nobody. One fold for all runs together.
create function runstore.project_pending(p_max_runs int default 100)
returns bigint
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_max_runs constant int := coalesce(p_max_runs, 100);
    v_now constant timestamptz := runstore.clock();
    v_tenants text[];
    v_runs text[];
    v_late_runs text[];
    v_failed_runs text[];
    v_run_id text;
    v_done bigint;
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

    select
        coalesce(array_agg(w.run_id) filter (where not w.wants_resync), '{}'),
        coalesce(array_agg(w.run_id) filter (where w.wants_resync), '{}')
    into v_runs, v_late_runs
    from (
        select d.run_id, d.wants_resync
        from runstore.due_runs as d
        where
            d.consumer = 'projector'
            and d.retry_at is null
            and (
                v_tenants is null
                or exists (
                    select from runstore.run_counters as r
                    where r.run_id = d.run_id and r.tenant_id = any(v_tenants)
                )
            )
        order by d.due_since
        limit v_max_runs
        for update skip locked
    ) as w;

    v_failed_runs := array(
        select d.run_id
        from runstore.consumers as c
        inner join runstore.due_runs as d on c.name = d.consumer
        where
            c.name = 'projector'
            and (d.retry_at <= v_now or d.retry_at > v_now + c.max_retry)
            and (
                v_tenants is null
                or exists (
                    select from runstore.run_counters as r
                    where r.run_id = d.run_id and r.tenant_id = any(v_tenants)
                )
            )
        order by d.retry_at
        limit v_max_runs - cardinality(v_runs) - cardinality(v_late_runs)
        for update of d skip locked
    );

    if cardinality(v_runs || v_late_runs || v_failed_runs) = 0 then
        return 0::bigint;
    end if;

    v_runs := array(select l.run_id from runstore.try_lock_projections(v_runs) as l (run_id));
    v_late_runs := array(select l.run_id from runstore.try_lock_projections(v_late_runs) as l (run_id));
    v_done := runstore.project_runs(v_runs, false, 1000::bigint) + runstore.project_runs(v_late_runs);

    for v_run_id in select l.run_id from runstore.try_lock_projections(v_failed_runs) as l (run_id) loop
        v_done := v_done + runstore.project_runs(array[v_run_id]);
    end loop;

    return v_done;
end
$$;

comment on function runstore.project_pending(int) is
'The projector''s step: folds what is new in up to p_max_runs runs; answers with how many are up to date now.';

revoke all on function runstore.project_pending(int) from public;
grant execute on function runstore.project_pending(int) to runstore_worker, runstore_admin;
