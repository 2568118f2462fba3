-- The idempotency key that append_event() computes when none is given, as 64 lower-case hex digits. It computes
-- without validating, and returns null when any argument but the step id is null. Reads no table, locks nothing.
create function runstore.idempotency_key(
    p_run_id text,
    p_step_id text,
    p_logical_attempt_id int,
    p_event_type text,
    p_plan_id text,
    p_plan_version text
)
returns text
language plpgsql immutable parallel safe security definer
set search_path = pg_catalog, pg_temp
as $$
begin
    return encode(
        runstore.idempotency_key_octets(
            p_run_id, p_step_id, p_logical_attempt_id, p_event_type, p_plan_id, p_plan_version
        ),
        'hex'
    );
end
$$;

comment on function runstore.idempotency_key(text, text, int, text, text, text) is
'SHA-256 in lower-case hex of runId|stepId or RUN|logicalAttemptId|eventType|planId|planVersion.';

revoke all on function runstore.idempotency_key(text, text, int, text, text, text) from public;
grant execute on function runstore.idempotency_key(text, text, int, text, text, text)
to runstore_reader, runstore_writer, runstore_worker, runstore_admin;
