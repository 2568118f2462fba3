-- A page of runs, the newest first, of one tenant, of one status, or of all; as far as they have been projected. To go
-- on, give the cursor of the last row: runs that are new or change their status meanwhile neither repeat nor hide
-- others. A login that is bound to tenants sees theirs only, and gets RS013 when it names another. RS010 for a status
-- or cursor that is none, or a limit outside 1 to 10000. Takes no lock; reads one index range per status and tenant, no
-- further than the page.
create function runstore.list_runs(
    p_tenant_id text default null, p_status text default null, p_limit int default 100, p_cursor text default null
)
returns setof runstore.run_summary
language plpgsql stable parallel safe security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_limit constant int := coalesce(p_limit, 100);
    v_tenants text[];
    v_statuses text[];
    v_before timestamptz := 'infinity'::timestamptz;
    v_after_run text := '';
begin
    if v_limit not between 1 and 10000 then
        perform runstore.raise_error(
            'RS010',
            format('limit %s is refused: expected 1 to 10000', v_limit),
            'Ask for at most 10000 runs at a time, and go on from the last cursor.',
            'limit', v_limit::text, 'a whole number from 1 to 10000'
        );
    end if;

    select array_agg(k.status) into v_statuses
    from runstore.statuses as k
    where k.machine = 'RUN' and (p_status is null or k.status = p_status);

    if v_statuses is null then
        perform runstore.raise_error(
            'RS010',
            format('status %L is no state of a run', p_status),
            'Use one of the states named under "expected", or leave it out.',
            'status', p_status,
            (select string_agg(k.status, ', ' order by k.status) from runstore.statuses as k where k.machine = 'RUN')
        );
    end if;

    if p_cursor is not null then
        v_before := runstore.parse_instant(split_part(p_cursor, '|', 1));
        v_after_run := substr(p_cursor, length(split_part(p_cursor, '|', 1)) + 2);

        if v_before is null or runstore.is_identifier(v_after_run) is not true then
            perform runstore.raise_error(
                'RS010',
                format('cursor %L is not one that list_runs() gave', left(p_cursor, 100)),
                'Give the cursor of the last row of the page before, as it is.',
                'cursor', p_cursor, 'the cursor of a row'
            );
        end if;
    end if;

    if p_tenant_id is not null then
        perform runstore.check_tenant(p_tenant_id);
        v_tenants := array[p_tenant_id];
    else
        select s.tenants into v_tenants from runstore.session_tenants as s;
    end if;

    if v_tenants is null then
        return query
        select
            r.run_id, r.tenant_id, r.project_id, r.environment_id, r.status, r.last_event_seq, r.begun_at, r.started_at,
            r.completed_at, case when r.is_consistent then 'CONSISTENT' else 'INCONSISTENT' end,
            r.halted_by is not null, r.projected_at, runstore.utc_text(r.begun_at) || '|' || r.run_id
        from unnest(v_statuses) as k (status)
        cross join lateral (
            select t.*
            from runstore.run_states as t
            where t.status = k.status and (t.begun_at, t.run_id) < (v_before, v_after_run)
            order by t.begun_at desc, t.run_id desc
            limit v_limit
        ) as r
        order by r.begun_at desc, r.run_id desc
        limit v_limit;
    else
        return query
        select
            r.run_id, r.tenant_id, r.project_id, r.environment_id, r.status, r.last_event_seq, r.begun_at, r.started_at,
            r.completed_at, case when r.is_consistent then 'CONSISTENT' else 'INCONSISTENT' end,
            r.halted_by is not null, r.projected_at, runstore.utc_text(r.begun_at) || '|' || r.run_id
        from unnest(v_statuses) as k (status)
        cross join unnest(v_tenants) as n (tenant_id)
        cross join lateral (
            select t.*
            from runstore.run_states as t
            where
                t.tenant_id = n.tenant_id
                and t.status = k.status
                and (t.begun_at, t.run_id) < (v_before, v_after_run)
            order by t.begun_at desc, t.run_id desc
            limit v_limit
        ) as r
        order by r.begun_at desc, r.run_id desc
        limit v_limit;
    end if;
end
$$;

comment on function runstore.list_runs(text, text, int, text) is
'A page of runs, the newest first, of one tenant, of one status, or of all.';

revoke all on function runstore.list_runs(text, text, int, text) from public;
grant execute on function runstore.list_runs(text, text, int, text) to runstore_reader, runstore_worker, runstore_admin;
