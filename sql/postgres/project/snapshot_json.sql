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
