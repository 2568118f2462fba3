-- Looks how far the projector lags behind the log: raises PROJECTOR_LAG_HIGH past lag_alert_ms and closes it below;
-- marks runs that have waited longer than lag_resync_ms for a resync from their snapshot. Also closes alerts of gaps
-- and failures that are over but could not be closed then. The lag is the age of the oldest event that waits; runs that
-- a gap or a failure holds up have alerts of their own and do not count. Answers with what it found, for the whole
-- store. Locks the rows of due_runs that it marks, at most 1000 at a time, and the alerts'; passes over what others
-- hold and waits for nobody.
create function runstore.check_health()
returns jsonb
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_now constant timestamptz := runstore.clock();
    v_config runstore.config;
    v_due_runs bigint;
    v_halted_runs bigint;
    v_lag_ms bigint;
    v_marked_runs bigint;
begin
    select c.* into v_config from runstore.config as c where c.singleton;

    select
        count(*) filter (where d.retry_at is null),
        count(*) filter (where d.retry_at is not null),
        coalesce(
            greatest(0, floor(extract(epoch from v_now - min(d.due_since) filter (where d.retry_at is null)) * 1000)), 0
        )::bigint
    into v_due_runs, v_halted_runs, v_lag_ms
    from runstore.due_runs as d
    where d.consumer = 'projector';

    if v_lag_ms <= v_config.lag_alert_ms then
        perform runstore.close_alerts('PROJECTOR_LAG_HIGH', array['']);
    elsif not runstore.alert_is_held('PROJECTOR_LAG_HIGH', '') then
        perform runstore.raise_alert(
            'PROJECTOR_LAG_HIGH', '', null, null, null,
            jsonb_build_object('lagMs', v_lag_ms, 'limitMs', v_config.lag_alert_ms, 'dueRuns', v_due_runs)
        );
    end if;

    perform runstore.close_alerts(o.code, array_agg(o.run_id))
    from runstore.alert_log as o
    inner join runstore.run_states as t on o.run_id = t.run_id
    where
        o.resolved_at is null
        and (
            (o.code = 'PROJECTOR_GAP_DETECTED' and t.halted_by is distinct from 'GAP')
            or (o.code = 'PROJECTION_FAILED' and t.halted_by is distinct from 'FAILURE')
        )
    group by o.code;

    with late_runs as materialized (
        select w.run_id, w.consumer
        from runstore.due_runs as w
        where
            w.consumer = 'projector'
            and w.retry_at is null
            and not w.wants_resync
            and w.due_since < v_now - v_config.lag_resync_ms * interval '1 millisecond'
        order by w.due_since
        limit 1000
        for update skip locked
    )

    update runstore.due_runs as d
    set wants_resync = true
    from late_runs as l
    where d.run_id = l.run_id and d.consumer = l.consumer;
    get diagnostics v_marked_runs = row_count;

    return jsonb_build_object(
        'lagMs', v_lag_ms,
        'dueRuns', v_due_runs,
        'haltedRuns', v_halted_runs,
        'runsMarkedForResync', v_marked_runs,
        'lagIsHigh', v_lag_ms > v_config.lag_alert_ms
    );
end
$$;

comment on function runstore.check_health() is
'Raises and closes PROJECTOR_LAG_HIGH, and marks runs that lag too far for a resync from their snapshot.';

revoke all on function runstore.check_health() from public;
grant execute on function runstore.check_health() to runstore_worker, runstore_admin;
