-- The idempotency key as 32 octets: SHA-256 of runId|step|logicalAttemptId|eventType|planId|planVersion in UTF-8,
-- where step is the step id or the literal RUN. Null when any other argument is null. Inlined into the caller's
-- expression.
create function runstore.idempotency_key_octets(
    p_run_id text,
    p_step_id text,
    p_logical_attempt_id int,
    p_event_type text,
    p_plan_id text,
    p_plan_version text
)
returns bytea
language sql stable parallel safe
return (
    pg_catalog.sha256(
        pg_catalog.convert_to(
            p_run_id || '|' || coalesce(p_step_id, 'RUN') || '|' || p_logical_attempt_id::text || '|' || p_event_type
            || '|' || p_plan_id || '|' || p_plan_version,
            'UTF8'
        )
    )
);

comment on function runstore.idempotency_key_octets(text, text, int, text, text, text) is
'The computed idempotency key as 32 octets.';

revoke all on function runstore.idempotency_key_octets(text, text, int, text, text, text) from public;
