-- A page of one run's events after a watermark, in run_seq order; empty for a run that is unknown, or not the
-- tenant's that the session's login is bound to. A reader that has seen n has seen everything below n, so polling
-- with the greatest run_seq seen misses nothing. Null arguments mean their defaults; RS010 for a negative watermark
-- or a limit outside 1 to 10000. Takes no lock, never waits; reads one row and one index range, no further than the
-- page.
create function runstore.fetch_events(p_run_id text, p_after_seq bigint default 0, p_limit int default 1000)
returns setof runstore.event_record
language plpgsql stable parallel safe security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_tenant_id text;
    v_project_id text;
    v_environment_id text;
    v_any_login_is_bound boolean;
begin
    if p_after_seq < 0 then
        perform runstore.raise_error(
            'RS010',
            format('afterSeq %s is refused: expected a watermark from 0', p_after_seq),
            'Send the greatest run_seq that you have seen, or 0 to start at the beginning.',
            'afterSeq', p_after_seq::text, 'a whole number from 0'
        );
    end if;

    if p_limit not between 1 and 10000 then
        perform runstore.raise_error(
            'RS010',
            format('limit %s is refused: expected 1 to 10000', p_limit),
            'Ask for at most 10000 events at a time, and go on from the last run_seq.',
            'limit', p_limit::text, 'a whole number from 1 to 10000'
        );
    end if;

    select r.tenant_id, r.project_id, r.environment_id, c.any_login_is_bound
    into v_tenant_id, v_project_id, v_environment_id, v_any_login_is_bound
    from runstore.run_counters as r
    cross join runstore.config as c
    where r.run_id = p_run_id;

    if not found then
        return;
    end if;

    if v_any_login_is_bound and runstore.tenant_is_foreign(v_tenant_id) then
        return;
    end if;

    return query
    select
        e.run_id, e.run_seq, e.event_id, e.event_type, e.step_id, e.engine_attempt_id, e.logical_attempt_id,
        v_tenant_id, v_project_id, v_environment_id, e.plan_id, e.plan_version, encode(e.idempotency_key, 'hex'),
        e.payload, e.emitted_at, e.persisted_at, e.adapter_version, e.engine_run_ref, e.caused_by_signal_id,
        e.parent_event_id
    from runstore.run_events as e
    where e.run_id = p_run_id and e.run_seq > coalesce(p_after_seq, 0)
    order by e.run_seq
    limit coalesce(p_limit, 1000);
end
$$;

comment on function runstore.fetch_events(text, bigint, int) is
'One run''s events with run_seq greater than p_after_seq, in order, at most p_limit (1 to 10000).';

revoke all on function runstore.fetch_events(text, bigint, int) from public;
grant execute on function runstore.fetch_events(text, bigint, int) to runstore_reader, runstore_worker, runstore_admin;
