-- Folding runs into the projection: storing it, going on after a gap, parking what fails.
-- depends: 0014.snapshots

-- Closes the open alerts of runs with a code, because what they told of is over. Passes over an alert that someone else
-- is working on in an open transaction; check_health() comes back to it. Locks the alerts' rows; one statement.
create function runstore.close_alerts(p_code text, p_run_ids text[])
returns void
language plpgsql volatile
as $$
begin
    with ended as materialized (
        select o.run_id, o.alert_id
        from runstore.alert_log as o
        where o.run_id = any(p_run_ids) and o.code = p_code and o.resolved_at is null
        for update skip locked
    )

    update runstore.alert_log as a
    set resolved_at = runstore.clock()
    from ended as v
    where a.run_id = v.run_id and a.alert_id = v.alert_id;
end
$$;

comment on function runstore.close_alerts(text, text[]) is
'Closes the open alerts of runs with a code.';

revoke all on function runstore.close_alerts(text, text[]) from public;

-- Whether the open alert of a run with a code, if there is one, is locked by someone else: a background worker then
-- leaves it alone, because it must not wait for a person's open transaction. Locks the alert's row otherwise.
create function runstore.alert_is_held(p_code text, p_run_id text)
returns boolean
language plpgsql volatile
as $$
begin
    perform from runstore.alert_log as a
    where a.run_id = p_run_id and a.code = p_code and a.resolved_at is null
    for update skip locked;

    return not found and exists (
        select from runstore.alert_log as a
        where a.run_id = p_run_id and a.code = p_code and a.resolved_at is null
    );
end
$$;

comment on function runstore.alert_is_held(text, text) is
'Whether the open alert of a run with a code is locked by someone else.';

revoke all on function runstore.alert_is_held(text, text) from public;

-- Raises INVALID_TRANSITION for events that the transitions refused, with the state at which each was refused and the
-- one that it meant to reach; those up to a stretch's known_seq were reported before and are left out. Locks the
-- alerts' rows; reads the events by their keys.
create function runstore.alert_refusals(
    p_spans runstore.fold_span[], p_run_ids text[], p_run_seqs bigint[], p_codes text[]
)
returns void
language plpgsql volatile
as $$
begin
    perform runstore.raise_alert(
        'INVALID_TRANSITION', r.run_id, c.tenant_id, e.event_id, e.run_seq,
        pg_catalog.jsonb_strip_nulls(pg_catalog.jsonb_build_object(
            'eventType', e.event_type,
            'stepId', e.step_id,
            'logicalAttemptId', e.logical_attempt_id,
            'emittedAt', runstore.utc_text(e.emitted_at),
            'priorState', k.status,
            'attemptedState', x.target_status
        ))
    )
    from rows from (
        pg_catalog.unnest(p_run_ids), pg_catalog.unnest(p_run_seqs), pg_catalog.unnest(p_codes)
    ) as r (run_id, run_seq, code)
    inner join pg_catalog.unnest(p_spans) as s on r.run_id = s.run_id and r.run_seq > s.known_seq
    inner join runstore.run_counters as c on r.run_id = c.run_id
    cross join lateral (
        select l.* from runstore.run_events as l where l.run_id = r.run_id and l.run_seq = r.run_seq limit 1
    ) as e
    inner join runstore.event_effects as x on e.event_type = x.event_type
    inner join runstore.statuses as k on x.machine = k.machine and r.code = k.code;
end
$$;

comment on function runstore.alert_refusals(runstore.fold_span[], text[], bigint[], text[]) is
'Raises INVALID_TRANSITION for events that the transitions refused.';

revoke all on function runstore.alert_refusals(runstore.fold_span[], text[], bigint[], text[]) from public;

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

-- Parks a run whose projection failed: it keeps its last good snapshot, which is marked stale, PROJECTION_FAILED is
-- raised, and the projector comes back to it after a while, the longer the oftener it failed. Locks the run's rows in
-- run_states and due_runs, and the alert's.
create function runstore.park_run(p_run_id text, p_sqlstate text, p_message text)
returns void
language plpgsql volatile
as $$
declare
    v_now constant timestamptz := runstore.clock();
begin
    insert into runstore.run_states as t (
        run_id, tenant_id, project_id, environment_id, status, last_event_seq, version, begun_at, projected_at,
        is_consistent, halted_by
    )
    select
        c.run_id, c.tenant_id, c.project_id, c.environment_id, 'PENDING', 0, 0,
        coalesce(e.persisted_at, c.last_persisted_at), v_now, true, 'FAILURE'
    from runstore.run_counters as c
    left join runstore.run_events as e on c.run_id = e.run_id and e.run_seq = 1
    where c.run_id = p_run_id
    on conflict (run_id) do update set halted_by = excluded.halted_by;

    perform runstore.raise_alert(
        'PROJECTION_FAILED', t.run_id, t.tenant_id, null, t.last_event_seq + 1,
        pg_catalog.jsonb_build_object('sqlstate', p_sqlstate, 'message', p_message, 'lastSeq', t.last_event_seq)
    )
    from runstore.run_states as t
    where t.run_id = p_run_id and not runstore.alert_is_held('PROJECTION_FAILED', p_run_id);

    insert into runstore.due_runs as d (run_id, consumer, due_since, retry_at, attempts)
    values (p_run_id, 'projector', v_now, v_now + runstore.retry_delay('projector', 1), 1)
    on conflict (run_id, consumer) do update set
        retry_at = v_now + runstore.retry_delay('projector', d.attempts + 1),
        attempts = d.attempts + 1,
        wants_resync = false;
end
$$;

comment on function runstore.park_run(text, text, text) is
'Parks a run whose projection failed, with an alert, until a later attempt.';

revoke all on function runstore.park_run(text, text, text) from public;

-- Takes the projections of runs back to nothing, for a fold from the start of the log in the same transaction. The
-- caller holds the projection locks of the runs.
create function runstore.reset_projection(p_run_ids text[])
returns void
language plpgsql volatile
as $$
begin
    delete from runstore.run_steps as s where s.run_id = any(p_run_ids);

    update runstore.run_states as t
    set last_event_seq = 0, is_consistent = true
    where t.run_id = any(p_run_ids);
end
$$;

comment on function runstore.reset_projection(text[]) is
'Takes the projections of runs back to nothing.';

revoke all on function runstore.reset_projection(text[]) from public;
