-- Folds stretches and writes what comes out to run_states and run_steps; raises INVALID_TRANSITION for each event that
-- was refused, and PROJECTOR_GAP_DETECTED for each run that comes to a gap; closes the alerts of runs that go on. The
-- caller keeps other projectors of these runs out; should one have moved a run all the same, 40001 is raised and
-- nothing is written. Raises 22000 for values that no snapshot could show: they would make every reader fail. Locks the
-- rows that it writes. Cost: one fold and one write per step that the stretches name.
create function runstore.store_fold(p_spans runstore.fold_span[])
returns void
language plpgsql volatile
set plan_cache_mode = force_generic_plan
as $$
declare
    v_now constant timestamptz := runstore.clock();
    v_spans runstore.fold_span[];
    v_stored bigint;
    v_unreadable bigint;
    v_refused_runs text[];
    v_refused_seqs bigint[];
    v_refused_at text[];
    v_gapped text[];
    v_resumed text[];
begin
    select
        pg_catalog.array_agg(s),
        pg_catalog.array_agg(s.run_id) filter (
            where s.gap_seq is not null and (t.halted_by is distinct from 'GAP' or s.to_seq > s.known_seq)
        ),
        pg_catalog.array_agg(s.run_id) filter (
            where t.halted_by is not null and (s.gap_seq is null or s.to_seq > s.known_seq)
        )
    into v_spans, v_gapped, v_resumed
    from pg_catalog.unnest(p_spans) as s
    left join runstore.run_states as t on s.run_id = t.run_id
    where
        s.to_seq > s.from_seq
        or s.from_seq < s.known_seq
        or t.halted_by is distinct from case when s.gap_seq is not null then 'GAP' end;

    if v_spans is null then
        return;
    end if;

    with folded as materialized (
        select f.* from runstore.fold(v_spans) as f
    ),

    refusals as (
        select
            f.run_id,
            pg_catalog.substr(x.refusal, 2)::bigint as run_seq,
            pg_catalog.left(x.refusal, 1) as code
        from folded as f
        cross join lateral pg_catalog.unnest(f.refusals) as x (refusal)
        where pg_catalog.substr(x.refusal, 2)::bigint < coalesce(f.late_from, 9223372036854775807)
    ),

    stored_steps as (
        insert into runstore.run_steps as t (
            run_id, step_id, first_seq, status, logical_attempt_id, engine_attempt_id, started_at, completed_at,
            artifacts, error, reason
        )
        select
            f.run_id, f.step_id, f.first_seq, f.status, f.logical_attempt_id, f.engine_attempt_id, f.started_at,
            f.completed_at, f.artifacts, f.error, f.reason
        from folded as f
        where f.machine = 'STEP' and f.is_current
        on conflict (run_id, step_id) do update set
            status = excluded.status,
            logical_attempt_id = excluded.logical_attempt_id,
            engine_attempt_id = excluded.engine_attempt_id,
            started_at = excluded.started_at,
            completed_at = excluded.completed_at,
            artifacts = excluded.artifacts,
            error = excluded.error,
            reason = excluded.reason
    ),

    runs as (
        select
            f.*,
            s.from_seq,
            s.to_seq,
            case when s.gap_seq is not null then 'GAP' end as halted_by,
            f.run_id not in (select r.run_id from refusals as r) as is_consistent,
            (
                select e.persisted_at from runstore.run_events as e
                where s.from_seq = 0 and e.run_id = f.run_id and e.run_seq = 1
            ) as begun_at
        from folded as f
        inner join pg_catalog.unnest(v_spans) as s on f.run_id = s.run_id
        where f.machine = 'RUN'
    ),

    moved_runs as (
        update runstore.run_states as t
        set
            last_event_seq = r.to_seq,
            version = t.version + 1,
            begun_at = coalesce(r.begun_at, t.begun_at),
            projected_at = v_now,
            status = r.status,
            started_at = r.started_at,
            completed_at = r.completed_at,
            engine_run_ref = r.engine_run_ref,
            artifacts = r.artifacts,
            error = r.error,
            is_consistent = t.is_consistent and r.is_consistent,
            halted_by = r.halted_by
        from runs as r
        where t.run_id = r.run_id and t.last_event_seq = r.from_seq
        returning t.run_id
    ),

    new_runs as (
        insert into runstore.run_states (
            run_id, tenant_id, project_id, environment_id, status, last_event_seq, version, begun_at, projected_at,
            started_at, completed_at, is_consistent, halted_by, engine_run_ref, artifacts, error
        )
        select
            r.run_id, c.tenant_id, c.project_id, c.environment_id, r.status, r.to_seq, 0,
            coalesce(r.begun_at, c.last_persisted_at), v_now, r.started_at, r.completed_at, r.is_consistent,
            r.halted_by, r.engine_run_ref, r.artifacts, r.error
        from runs as r
        inner join runstore.run_counters as c on r.run_id = c.run_id
        where r.from_seq = 0 and not exists (select from runstore.run_states as t where t.run_id = r.run_id)
        on conflict do nothing
        returning run_id
    )

    select
        (
            select pg_catalog.count(*)
            from folded as f
            where
                not pg_catalog.isfinite(f.started_at)
                or not pg_catalog.isfinite(f.completed_at)
                or f.error @? 'strict $.**{1000}'
                or f.reason @? 'strict $.**{1000}'
                or f.engine_run_ref @? 'strict $.**{1000}'
        ),
        (select pg_catalog.count(*) from moved_runs) + (select pg_catalog.count(*) from new_runs),
        pg_catalog.array_agg(r.run_id),
        pg_catalog.array_agg(r.run_seq),
        pg_catalog.array_agg(r.code)
    into v_unreadable, v_stored, v_refused_runs, v_refused_seqs, v_refused_at
    from refusals as r;

    if v_stored < pg_catalog.cardinality(v_spans) then
        perform runstore.raise_error(
            '40001', 'another projector moved a run meanwhile', 'Call again: it goes on from where the other left off.'
        );
    end if;

    if v_unreadable > 0 then
        perform runstore.raise_error(
            '22000',
            'a snapshot could not be shown: a time is infinite, or an error, reason or reference is nested 1000 deep',
            'Find the event in the log; its producer or an import made it.'
        );
    end if;

    if v_refused_runs is not null then
        perform runstore.alert_refusals(v_spans, v_refused_runs, v_refused_seqs, v_refused_at);
    end if;

    if v_resumed is not null then
        perform runstore.close_alerts('PROJECTOR_GAP_DETECTED', v_resumed);
        perform runstore.close_alerts('PROJECTION_FAILED', v_resumed);
    end if;

    perform runstore.raise_alert(
        'PROJECTOR_GAP_DETECTED', s.run_id, c.tenant_id, null, s.gap_seq,
        pg_catalog.jsonb_strip_nulls(pg_catalog.jsonb_build_object('lastSeq', s.gap_seq - 1, 'nextSeq', s.next_seq))
    )
    from pg_catalog.unnest(v_spans) as s
    inner join runstore.run_counters as c on s.run_id = c.run_id
    where s.run_id = any(v_gapped) and not runstore.alert_is_held('PROJECTOR_GAP_DETECTED', s.run_id);
end
$$;

comment on function runstore.store_fold(runstore.fold_span[]) is
'Folds stretches of logs and writes the projection.';

revoke all on function runstore.store_fold(runstore.fold_span[]) from public;
