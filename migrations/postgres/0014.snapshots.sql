-- Reading snapshots: stored, replayed, listed.
-- depends: 0013.fold

-- Refuses the id of a run that does not exist, or is not the tenant's that the session's login is bound to; both read
-- the same. Returns when the run is there. Reads one row.
create function runstore.check_run(p_run_id text)
returns void
language plpgsql stable
as $$
begin
    if not exists (
        select from runstore.run_counters as r
        where r.run_id = p_run_id and not runstore.tenant_is_foreign(r.tenant_id)
    ) then
        perform runstore.raise_error(
            'RS012',
            pg_catalog.format('runId %L is no run', p_run_id),
            'Check the id; a run exists from its first event on.',
            'runId',
            p_run_id,
            'the id of a run'
        );
    end if;
end
$$;

comment on function runstore.check_run(text) is 'Raises RS012 for a run that is unknown.';

revoke all on function runstore.check_run(text) from public;

-- A time as snapshots show it: RFC 3339, UTC, six fraction digits. Inlined.
create function runstore.utc_text(p_time timestamptz)
returns text
language sql stable parallel safe
return pg_catalog.to_char(p_time at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"');

comment on function runstore.utc_text(timestamptz) is
'A time as RFC 3339 text in UTC with six fraction digits.';

revoke all on function runstore.utc_text(timestamptz) from public;

-- The elements of a JSON array as text, without the brackets, so that arrays can be strung together; null when there
-- are none, or when it is no array. Inlined.
create function runstore.array_items(p_array jsonb)
returns text
language sql immutable parallel safe
return case
    when pg_catalog.jsonb_typeof(p_array) = 'array' and p_array <> '[]'
        then pg_catalog.left(pg_catalog.substr(p_array::text, 2), -1)
end;

comment on function runstore.array_items(jsonb) is
'The elements of a JSON array as text without brackets; null when there are none.';

revoke all on function runstore.array_items(jsonb) from public;

-- One step of a snapshot as JSON text; absent values are left out. Text, because nothing in jsonb leaves out absent
-- values without also reaching into the producer's own JSON, and because the whole snapshot is parsed once, at the
-- end. Inlined.
create function runstore.step_json(
    p_step_id text,
    p_status text,
    p_logical_attempt_id int,
    p_engine_attempt_id int,
    p_started_at timestamptz,
    p_completed_at timestamptz,
    p_artifacts jsonb,
    p_error jsonb,
    p_reason jsonb
)
returns text
language sql stable parallel safe
return '{' || pg_catalog.concat_ws(
    ',',
    '"stepId":' || pg_catalog.to_json(p_step_id)::text,
    '"status":' || pg_catalog.to_json(p_status)::text,
    '"logicalAttemptId":' || p_logical_attempt_id::text,
    '"engineAttemptId":' || p_engine_attempt_id::text,
    '"startedAt":"' || runstore.utc_text(p_started_at) || '"',
    '"completedAt":"' || runstore.utc_text(p_completed_at) || '"',
    '"artifacts":' || coalesce(p_artifacts, '[]')::text,
    '"error":' || p_error::text,
    '"reason":' || p_reason::text
) || '}';

comment on function runstore.step_json(text, text, int, int, timestamptz, timestamptz, jsonb, jsonb, jsonb) is
'One step of a snapshot as JSON text, without absent values.';

revoke all on function runstore.step_json(text, text, int, int, timestamptz, timestamptz, jsonb, jsonb, jsonb)
from public;

-- A run's snapshot from its parts; absent values are left out. p_steps and p_artifacts are JSON text: the steps joined
-- by commas, and the elements of the steps' artifacts. p_is_stale and p_projected_at are null for a replay. Reads
-- nothing.
create function runstore.snapshot_json(
    p_run_id text,
    p_tenant_id text,
    p_project_id text,
    p_environment_id text,
    p_status text,
    p_last_event_seq bigint,
    p_started_at timestamptz,
    p_completed_at timestamptz,
    p_engine_run_ref jsonb,
    p_artifacts jsonb,
    p_error jsonb,
    p_is_consistent boolean,
    p_steps text,
    p_step_artifacts text,
    p_failed_steps bigint,
    p_is_stale boolean default null,
    p_projected_at timestamptz default null
)
returns jsonb
language sql stable parallel safe
return (
    '{' || pg_catalog.concat_ws(
        ',',
        '"runId":' || pg_catalog.to_json(p_run_id)::text,
        '"tenantId":' || pg_catalog.to_json(p_tenant_id)::text,
        '"projectId":' || pg_catalog.to_json(p_project_id)::text,
        '"environmentId":' || pg_catalog.to_json(p_environment_id)::text,
        '"status":' || pg_catalog.to_json(p_status)::text,
        '"lastEventSeq":' || p_last_event_seq::text,
        '"steps":[' || coalesce(p_steps, '') || ']',
        '"artifacts":[' || pg_catalog.concat_ws(',', p_step_artifacts, runstore.array_items(p_artifacts)) || ']',
        '"startedAt":"' || runstore.utc_text(p_started_at) || '"',
        '"completedAt":"' || runstore.utc_text(p_completed_at) || '"',
        '"totalDurationMs":' || case
            when p_completed_at > p_started_at
                then pg_catalog.floor(extract(epoch from p_completed_at - p_started_at) * 1000)::bigint
            when p_completed_at <= p_started_at then 0
        end::text,
        '"failedSteps":' || p_failed_steps::text,
        '"engineRunRef":' || p_engine_run_ref::text,
        '"error":' || p_error::text,
        '"consistency":' || case when p_is_consistent then '"CONSISTENT"' else '"INCONSISTENT"' end,
        '"stale":' || p_is_stale::text,
        '"projectedAt":"' || runstore.utc_text(p_projected_at) || '"'
    ) || '}'
)::jsonb;

comment on function runstore.snapshot_json(
    text, text, text, text, text, bigint, timestamptz, timestamptz, jsonb, jsonb, jsonb, boolean, text, text, bigint,
    boolean, timestamptz
) is
'A run''s snapshot from its parts, without absent values.';

revoke all on function runstore.snapshot_json(
    text, text, text, text, text, bigint, timestamptz, timestamptz, jsonb, jsonb, jsonb, boolean, text, text, bigint,
    boolean, timestamptz
) from public;

-- The stored snapshot of a run; null when there is none, or when the run is not the tenant's that the session's login
-- is bound to. Both tables are read by one statement, so no answer shows half a projection. Takes no lock, never
-- waits; reads one row and the run's steps.
create function runstore.get_snapshot(p_run_id text)
returns jsonb
language plpgsql stable parallel safe security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_snapshot jsonb;
begin
    select
        runstore.snapshot_json(
            r.run_id, r.tenant_id, r.project_id, r.environment_id, r.status, r.last_event_seq, r.started_at,
            r.completed_at, r.engine_run_ref, r.artifacts, r.error, r.is_consistent, s.steps, s.artifacts,
            s.failed_steps, r.halted_by is not null, r.projected_at
        )
    into v_snapshot
    from runstore.run_states as r
    cross join lateral (
        select
            string_agg(
                runstore.step_json(
                    p.step_id, p.status, p.logical_attempt_id, p.engine_attempt_id, p.started_at, p.completed_at,
                    p.artifacts, p.error, p.reason
                ),
                ',' order by p.first_seq
            ) as steps,
            string_agg(runstore.array_items(p.artifacts), ',' order by p.first_seq) as artifacts,
            count(*) filter (where p.status = 'FAILED') as failed_steps
        from runstore.run_steps as p
        where p.run_id = r.run_id
    ) as s
    where r.run_id = p_run_id and not runstore.tenant_is_foreign(r.tenant_id);

    return v_snapshot;
end
$$;

comment on function runstore.get_snapshot(text) is
'The stored snapshot of a run, null when there is none.';

revoke all on function runstore.get_snapshot(text) from public;
grant execute on function runstore.get_snapshot(text) to runstore_reader, runstore_worker, runstore_admin;

-- Every stored snapshot. A login that is bound to tenants sees its tenants' runs only. For one run call
-- get_snapshot(); for a list of runs, list_runs(), which does not build the JSON.
create view runstore.run_snapshots with (security_barrier = true) as
select
    r.run_id,
    r.status,
    r.last_event_seq,
    runstore.get_snapshot(r.run_id) as snapshot_data,
    r.started_at,
    r.completed_at,
    r.projected_at,
    r.version
from runstore.run_states as r
cross join runstore.session_tenants as s
where s.tenants is null or r.tenant_id = any(s.tenants);

comment on view runstore.run_snapshots is 'Every stored snapshot, one row per run.';
comment on column runstore.run_snapshots.run_id is 'The run.';
comment on column runstore.run_snapshots.status is 'State of the run.';
comment on column runstore.run_snapshots.last_event_seq is 'run_seq of the last event in the snapshot.';
comment on column runstore.run_snapshots.snapshot_data is 'The snapshot, as get_snapshot() returns it.';
comment on column runstore.run_snapshots.started_at is 'When the run started, by its producer.';
comment on column runstore.run_snapshots.completed_at is 'When the run ended, by its producer.';
comment on column runstore.run_snapshots.projected_at is 'When the snapshot was last written.';
comment on column runstore.run_snapshots.version is 'How often the snapshot was written, from 0.';

grant select on runstore.run_snapshots to runstore_reader, runstore_worker, runstore_admin;

-- The snapshot as the run's log alone gives it, up to p_up_to_seq or to its end: a pure fold that reads no projection
-- and stores nothing. Stops before a gap and raises no alert. Null or a sequence past the end means all of the log;
-- RS010 below 1, RS012 for an unknown run. Takes no lock, never waits; linear in the number of events.
create function runstore.replay_snapshot(p_run_id text, p_up_to_seq bigint default null)
returns jsonb
language plpgsql stable parallel safe security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
as $$
declare
    v_spans runstore.fold_span[];
    v_snapshot jsonb;
begin
    if p_up_to_seq < 1 then
        perform runstore.raise_error(
            'RS010',
            format('upToSeq %s is refused: expected a sequence number from 1', p_up_to_seq),
            'Give the run_seq of the last event to fold, or leave it out for all of them.',
            'upToSeq', p_up_to_seq::text, 'a whole number from 1'
        );
    end if;

    perform runstore.check_run(p_run_id);

    v_spans := array(select s from runstore.fold_spans(array[p_run_id], true, p_up_to_seq) as s);

    select
        runstore.snapshot_json(
            c.run_id, c.tenant_id, c.project_id, c.environment_id, f.status, v_spans[1].to_seq, f.started_at,
            f.completed_at, f.engine_run_ref, f.artifacts, f.error, f.is_consistent, f.steps, f.step_artifacts,
            f.failed_steps
        )
    into v_snapshot
    from runstore.run_counters as c
    cross join (
        select
            max(f.status) filter (where f.machine = 'RUN') as status,
            max(f.started_at) filter (where f.machine = 'RUN') as started_at,
            max(f.completed_at) filter (where f.machine = 'RUN') as completed_at,
            (array_agg(f.engine_run_ref) filter (where f.machine = 'RUN'))[1] as engine_run_ref,
            (array_agg(f.artifacts) filter (where f.machine = 'RUN'))[1] as artifacts,
            (array_agg(f.error) filter (where f.machine = 'RUN'))[1] as error,
            not bool_or(
                exists (
                    select from unnest(f.refusals) as x (refusal)
                    where substr(x.refusal, 2)::bigint < coalesce(f.late_from, 9223372036854775807)
                )
            ) as is_consistent,
            string_agg(
                runstore.step_json(
                    f.step_id, f.status, f.logical_attempt_id, f.engine_attempt_id, f.started_at, f.completed_at,
                    f.artifacts, f.error, f.reason
                ),
                ',' order by f.first_seq
            ) filter (where f.machine = 'STEP' and f.is_current) as steps,
            string_agg(runstore.array_items(f.artifacts), ',' order by f.first_seq)
            filter (where f.machine = 'STEP' and f.is_current) as step_artifacts,
            count(*) filter (where f.machine = 'STEP' and f.is_current and f.status = 'FAILED') as failed_steps
        from runstore.fold(v_spans) as f
    ) as f
    where c.run_id = p_run_id;

    return v_snapshot;
end
$$;

comment on function runstore.replay_snapshot(text, bigint) is
'The snapshot as the run''s log gives it up to p_up_to_seq; stores nothing. RS012 for an unknown run.';

revoke all on function runstore.replay_snapshot(text, bigint) from public;
grant execute on function runstore.replay_snapshot(text, bigint) to runstore_reader, runstore_worker, runstore_admin;

-- Whether events are missing between two sequence numbers that follow each other in what a reader has received. Null
-- when either is null. Reads nothing.
create function runstore.detect_gap(p_last_seq bigint, p_next_seq bigint)
returns boolean
language sql immutable parallel safe
return p_next_seq::numeric - p_last_seq > 1;

comment on function runstore.detect_gap(bigint, bigint) is
'Whether events are missing between two sequence numbers that follow each other.';

revoke all on function runstore.detect_gap(bigint, bigint) from public;
grant execute on function runstore.detect_gap(bigint, bigint)
to runstore_reader, runstore_writer, runstore_worker, runstore_admin;

create type runstore.run_summary as (
    run_id text,
    tenant_id text,
    project_id text,
    environment_id text,
    status text,
    last_event_seq bigint,
    begun_at timestamptz,
    started_at timestamptz,
    completed_at timestamptz,
    consistency text,
    stale boolean,
    projected_at timestamptz,
    cursor text
);

comment on type runstore.run_summary is 'One run, as list_runs() shows it.';
comment on column runstore.run_summary.run_id is 'The run.';
comment on column runstore.run_summary.tenant_id is 'Tenant of the run.';
comment on column runstore.run_summary.project_id is 'Project of the run.';
comment on column runstore.run_summary.environment_id is 'Environment of the run.';
comment on column runstore.run_summary.status is 'State of the run.';
comment on column runstore.run_summary.last_event_seq is 'run_seq of the last event in its snapshot.';
comment on column runstore.run_summary.begun_at is 'When its first event was stored: what the list is ordered by.';
comment on column runstore.run_summary.started_at is 'When it started, by its producer.';
comment on column runstore.run_summary.completed_at is 'When it ended, by its producer.';
comment on column runstore.run_summary.consistency is 'CONSISTENT, or INCONSISTENT after an event that was refused.';
comment on column runstore.run_summary.stale is 'Whether a gap or a failure holds its projection up.';
comment on column runstore.run_summary.projected_at is 'When its snapshot was last written.';
comment on column runstore.run_summary.cursor is 'Give this to list_runs() to go on after this run.';

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
