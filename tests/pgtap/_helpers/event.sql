-- A valid event in its JSON form, with changes; a change to JSON null stays in as null.
create function pg_temp.event(p_changes jsonb default '{}')
returns jsonb
language sql immutable
return jsonb_build_object(
    'runId', 'run-1', 'eventType', 'RunStarted', 'emittedAt', '2026-02-16T09:30:00.123456Z',
    'tenantId', 'tenant-1', 'projectId', 'project-1', 'environmentId', 'env-1',
    'planId', 'plan-1', 'planVersion', '1'
) || p_changes;

-- Appends that event.
create function pg_temp.append(p_changes jsonb default '{}')
returns runstore.append_result
language sql volatile
as $$ select runstore.append_event(pg_temp.event(p_changes)) $$;

-- The n-th of distinct, valid version 4 UUIDs.
create function pg_temp.id(p_n int)
returns uuid
language sql immutable
return ('00000000-0000-4000-8000-' || lpad(p_n::text, 12, '0'))::uuid;

-- The n-th of distinct, valid idempotency keys.
create function pg_temp.key(p_n int)
returns text
language sql immutable
return encode(sha256(p_n::text::bytea), 'hex');

-- Appends events of the given types to a run, each under a key of its own; step events are about the step "load".
create function pg_temp.append_types(p_run_id text, variadic p_event_types text[])
returns void
language plpgsql volatile
as $$
declare
    v_event_type text;
begin
    foreach v_event_type in array p_event_types loop
        perform pg_temp.append(jsonb_strip_nulls(jsonb_build_object(
            'runId', p_run_id,
            'eventType', v_event_type,
            'stepId', case when v_event_type like 'Step%' then 'load' end,
            'idempotencyKey', encode(sha256(gen_random_uuid()::text::bytea), 'hex')
        )));
    end loop;
end
$$;
