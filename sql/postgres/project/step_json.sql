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
