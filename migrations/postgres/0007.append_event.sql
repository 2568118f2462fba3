-- append_event() with named arguments, and the idempotency key.
-- depends: 0006.run_checks

create type runstore.append_result as (
    event_id uuid,
    run_seq bigint,
    persisted_at timestamptz,
    idempotent boolean,
    persisted boolean
);

comment on type runstore.append_result is 'The answer to one appended event.';
comment on column runstore.append_result.event_id is 'Id of the stored event, the new or the earlier one.';
comment on column runstore.append_result.run_seq is 'Its position in the run.';
comment on column runstore.append_result.persisted_at is 'When the store took it.';
comment on column runstore.append_result.idempotent is
'True when the key was known: the answer is the earlier event''s.';
comment on column runstore.append_result.persisted is 'True when a row was written.';

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

-- The fields in which a stored event and a later one with the same key differ, in camelCase; empty when they agree.
-- Inlined; reads no table.
create function runstore.differing_fields(
    p_stored_event_type text,
    p_event_type text,
    p_stored_step_id text,
    p_step_id text,
    p_stored_payload jsonb,
    p_payload jsonb,
    p_stored_signal_id uuid,
    p_signal_id uuid
)
returns text[]
language sql immutable parallel safe
return (
    case when p_stored_event_type is distinct from p_event_type then array['eventType'] else '{}' end
    || case when p_stored_step_id is distinct from p_step_id then array['stepId'] else '{}' end
    || case when p_stored_payload is distinct from p_payload then array['payload'] else '{}' end
    || case when p_stored_signal_id is distinct from p_signal_id then array['causedBySignalId'] else '{}' end
);

comment on function runstore.differing_fields(text, text, text, text, jsonb, jsonb, uuid, uuid) is
'The fields in which two events with the same key differ.';

revoke all on function runstore.differing_fields(text, text, text, text, jsonb, jsonb, uuid, uuid) from public;

-- Raises the IDEMPOTENCY_CONFLICT alert for an event that came again under the key of a stored one, and names the
-- fields in which they differ. Locks the run and then the alert's row, in the order of an append that writes; reads
-- one event.
create function runstore.alert_conflict(
    p_run_id text,
    p_tenant_id text,
    p_key bytea,
    p_event_type text,
    p_step_id text,
    p_payload jsonb,
    p_caused_by_signal_id uuid
)
returns void
language plpgsql volatile
as $$
begin
    perform from runstore.run_counters as r where r.run_id = p_run_id for no key update;

    perform runstore.raise_alert(
        'IDEMPOTENCY_CONFLICT',
        p_run_id,
        p_tenant_id,
        e.event_id,
        e.run_seq,
        pg_catalog.jsonb_build_object(
            'differs',
            runstore.differing_fields(
                e.event_type, p_event_type, e.step_id, p_step_id, e.payload, p_payload,
                e.caused_by_signal_id, p_caused_by_signal_id
            )
        )
    )
    from runstore.run_events as e
    where e.run_id = p_run_id and e.idempotency_key = p_key;
end
$$;

comment on function runstore.alert_conflict(text, text, bytea, text, text, jsonb, uuid) is
'Raises the alert for an event that differs from the stored one with its key.';

revoke all on function runstore.alert_conflict(text, text, bytea, text, text, jsonb, uuid) from public;

-- Puts the counter of a run back to where it was before the append that took p_seq, which found its event stored
-- already. The caller holds the run's lock. One HOT update.
create function runstore.give_back_seq(p_run_id text, p_seq bigint)
returns void
language sql volatile
as $$
    update runstore.run_counters as r
    set
        last_seq = e.run_seq,
        last_persisted_at = e.persisted_at
    from runstore.run_events as e
    where r.run_id = p_run_id and e.run_id = p_run_id and e.run_seq = p_seq - 1;
$$;

comment on function runstore.give_back_seq(text, bigint) is
'Puts a run''s counter back to where it was before p_seq was taken.';

revoke all on function runstore.give_back_seq(text, bigint) from public;

-- Reads the clock again for a run whose lock the caller holds. The statement that takes the lock reads the clock just
-- before it has it; when it then waits for a transaction that rolls back, that reading is as old as the wait. One HOT
-- update.
create function runstore.stamp_again(p_run_id text)
returns timestamptz
language plpgsql volatile
as $$
declare
    v_persisted_at timestamptz;
begin
    update runstore.run_counters as r
    set last_persisted_at = greatest(runstore.clock(), r.last_persisted_at)
    where r.run_id = p_run_id
    returning r.last_persisted_at into v_persisted_at;

    return v_persisted_at;
end
$$;

comment on function runstore.stamp_again(text) is
'Reads the clock again for a run whose lock the caller holds.';

revoke all on function runstore.stamp_again(text) from public;

-- Appends one event and answers with its place in the run; an event whose (run, idempotency key) is known is answered
-- with the stored one and nothing is written. Refusals come in one order: shape and sizes (RS001, RS005), tenant
-- (RS013), run identity (RS002), then, for an event that is new, event id (RS003) and signal rate (RS006).
-- Locks: none for a duplicate that agrees with the stored event; otherwise the run's row in run_counters until the
-- transaction ends, so a run's appends commit in run_seq order and a rollback leaves no gap. Nothing else is waited
-- for but, for a duplicate that differs, its alert's row after the run's.
-- READ COMMITTED: the run is read before its lock is taken. When the lock shows that the run has moved on in between,
-- it is read again under the lock, and a number taken in vain is put back. In the stricter levels that race ends in
-- 40001.
-- Cost: one read of four index entries, one HOT update, one insert.
create function runstore.append_event(
    p_run_id text,
    p_event_type text,
    p_emitted_at timestamptz,
    p_tenant_id text,
    p_project_id text,
    p_environment_id text,
    p_plan_id text,
    p_plan_version text,
    p_engine_attempt_id int default 1,
    p_logical_attempt_id int default 1,
    p_idempotency_key text default null,
    p_event_id uuid default null,
    p_step_id text default null,
    p_payload jsonb default null,
    p_adapter_version text default null,
    p_engine_run_ref jsonb default null,
    p_caused_by_signal_id uuid default null,
    p_parent_event_id uuid default null
)
returns runstore.append_result
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_engine_attempt_id constant int := coalesce(p_engine_attempt_id, 1);
    v_logical_attempt_id constant int := coalesce(p_logical_attempt_id, 1);
    v_event_id constant uuid := coalesce(p_event_id, gen_random_uuid());
    v_key bytea;
    v_max_payload_bytes int;
    v_any_login_is_bound boolean;
    v_last_seq bigint;
    v_same_identity boolean;
    v_differs boolean;
    v_id_is_taken boolean;
    v_identifiers text;
    v_is_signal boolean := false;
    v_seq bigint;
    v_persisted_at timestamptz;
    v_answer runstore.append_result;
begin
    if p_idempotency_key is null then
        v_key := runstore.idempotency_key_octets(
            p_run_id, p_step_id, v_logical_attempt_id, p_event_type, p_plan_id, p_plan_version
        );
    elsif length(p_idempotency_key) = 64 and p_idempotency_key !~ '[^0-9a-fA-F]' then
        v_key := decode(p_idempotency_key, 'hex');
    end if;

    loop
        select
            c.max_payload_bytes,
            c.any_login_is_bound,
            r.last_seq,
            r.tenant_id = p_tenant_id and r.project_id = p_project_id and r.environment_id = p_environment_id,
            e.event_id,
            e.run_seq,
            e.persisted_at,
            e.event_type is distinct from p_event_type
            or e.step_id is distinct from p_step_id
            or e.payload is distinct from p_payload
            or e.caused_by_signal_id is distinct from p_caused_by_signal_id,
            exists (select from runstore.run_events as i where i.run_id = p_run_id and i.event_id = p_event_id)
        into
            v_max_payload_bytes, v_any_login_is_bound, v_last_seq, v_same_identity, v_answer.event_id,
            v_answer.run_seq, v_answer.persisted_at, v_differs, v_id_is_taken
        from runstore.config as c
        left join runstore.run_counters as r on r.run_id = p_run_id
        left join runstore.run_events as e on e.run_id = p_run_id and e.idempotency_key = v_key
        where c.singleton;

        if v_seq is null then
            v_identifiers := concat(
                p_run_id, '|', p_event_type, '|', p_tenant_id, '|', p_project_id, '|', p_environment_id, '|',
                p_plan_id, '|', p_plan_version, '|', coalesce(p_step_id, '-'), '|', coalesce(p_adapter_version, '-')
            );

            if runstore.looks_ordinary(
                v_identifiers, p_event_type, p_emitted_at, v_engine_attempt_id, v_logical_attempt_id, v_key, v_event_id,
                p_step_id, p_payload, p_engine_run_ref, v_max_payload_bytes
            ) is not true then
                if 'null' in (jsonb_typeof(p_payload), jsonb_typeof(p_engine_run_ref)) then
                    p_payload := nullif(p_payload, 'null');
                    p_engine_run_ref := nullif(p_engine_run_ref, 'null');
                    continue;
                end if;

                v_is_signal := runstore.check_event(
                    p_run_id, p_event_type, p_emitted_at, p_tenant_id, p_project_id, p_environment_id, p_plan_id,
                    p_plan_version, v_engine_attempt_id, v_logical_attempt_id, p_idempotency_key, v_event_id, p_step_id,
                    p_payload, p_adapter_version, p_engine_run_ref
                );
            end if;

            if v_any_login_is_bound then
                perform runstore.check_tenant(p_tenant_id);
            end if;
        end if;

        if not v_same_identity then
            perform runstore.refuse_identity(p_run_id);
        end if;

        if v_answer.run_seq is not null then
            if v_seq is not null then
                perform runstore.give_back_seq(p_run_id, v_seq);
            end if;

            if v_differs then
                perform runstore.alert_conflict(
                    p_run_id, p_tenant_id, v_key, p_event_type, p_step_id, p_payload, p_caused_by_signal_id
                );
            end if;

            v_answer.idempotent := true;
            v_answer.persisted := false;
            return v_answer;
        end if;

        if v_id_is_taken then
            perform runstore.refuse_event_id(v_event_id);
        end if;

        exit when v_seq is not null;

        loop
            update runstore.run_counters as r
            set
                last_seq = r.last_seq + 1,
                last_persisted_at = greatest(runstore.clock(), r.last_persisted_at)
            where r.run_id = p_run_id
            returning r.last_seq, r.last_persisted_at into v_seq, v_persisted_at;

            exit when found;

            insert into runstore.run_counters (
                run_id, tenant_id, project_id, environment_id, last_seq, last_persisted_at
            )
            values (p_run_id, p_tenant_id, p_project_id, p_environment_id, 1, runstore.clock())
            on conflict do nothing
            returning last_seq, last_persisted_at into v_seq, v_persisted_at;

            exit when found;
        end loop;

        exit when v_seq = coalesce(v_last_seq, 0) + 1;
    end loop;

    if v_persisted_at < runstore.clock() - interval '1 millisecond' then
        v_persisted_at := runstore.stamp_again(p_run_id);
    end if;

    if v_is_signal then
        perform runstore.check_signal_rate(p_run_id, v_persisted_at);
    end if;

    insert into runstore.run_events (
        run_id, run_seq, event_id, event_type, step_id, engine_attempt_id, logical_attempt_id, plan_id, plan_version,
        idempotency_key, payload, emitted_at, persisted_at, adapter_version, engine_run_ref, caused_by_signal_id,
        parent_event_id
    )
    values (
        p_run_id, v_seq, v_event_id, p_event_type, p_step_id, v_engine_attempt_id, v_logical_attempt_id,
        p_plan_id, p_plan_version, v_key, p_payload, p_emitted_at, v_persisted_at, p_adapter_version,
        p_engine_run_ref, p_caused_by_signal_id, p_parent_event_id
    );

    v_answer := row(v_event_id, v_seq, v_persisted_at, false, true);
    return v_answer;
end
$$;

comment on function runstore.append_event(
    text, text, timestamptz, text, text, text, text, text, int, int, text, uuid, text, jsonb, text, jsonb, uuid, uuid
) is
'Appends one event, or answers with the stored one when its (run, idempotency key) is known.';

revoke all on function runstore.append_event(
    text, text, timestamptz, text, text, text, text, text, int, int, text, uuid, text, jsonb, text, jsonb, uuid, uuid
) from public;
grant execute on function runstore.append_event(
    text, text, timestamptz, text, text, text, text, text, int, int, text, uuid, text, jsonb, text, jsonb, uuid, uuid
) to runstore_writer, runstore_admin;
