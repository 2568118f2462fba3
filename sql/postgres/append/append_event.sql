-- Appends one event and answers with its place in the run; an event whose (run, idempotency key) is known is answered
-- with the stored one and nothing is written. Refusals come in one order: shape and sizes (RS001, RS005), tenant
-- (RS013), run identity (RS002), then, for an event that is new, event id (RS003), signal rate (RS006) and, where they
-- are enforced, the transitions (RS004).
-- Locks: none for a duplicate that agrees with the stored event; otherwise the run's row in run_counters until the
-- transaction ends, so a run's appends commit in run_seq order and a rollback leaves no gap. Nothing else is waited
-- for but, for a duplicate that differs, its alert's row after the run's.
-- READ COMMITTED: the run is read before its lock is taken. When the lock shows that the run has moved on in between,
-- it is read again under the lock, and a number taken in vain is put back. In the stricter levels that race ends in
-- 40001.
-- Projection: by default the append only notes that the run has work, once until the projector has caught up. Inline,
-- it projects the run in a subtransaction; a projection that fails is parked, and the append stands.
-- Cost: one read of four index entries, one HOT update, one insert; one more for the note.
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
    v_log_is_followed boolean;
    v_projects_inline boolean;
    v_notes boolean;
    v_projects boolean;
    v_enforces boolean;
    v_last_seq bigint;
    v_same_identity boolean;
    v_differs boolean;
    v_id_is_taken boolean;
    v_identifiers text;
    v_is_signal boolean := false;
    v_seq bigint;
    v_due_from_seq bigint;
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
            c.log_is_followed,
            c.projection_mode = 'inline',
            c.enforce_transitions,
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
            v_max_payload_bytes, v_any_login_is_bound, v_log_is_followed, v_projects_inline, v_enforces,
            v_last_seq, v_same_identity, v_answer.event_id, v_answer.run_seq, v_answer.persisted_at, v_differs,
            v_id_is_taken
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

        v_notes := v_log_is_followed;
        v_projects := v_projects_inline;

        loop
            update runstore.run_counters as r
            set
                last_seq = r.last_seq + 1,
                last_persisted_at = greatest(runstore.clock(), r.last_persisted_at),
                due_from_seq = case when v_notes then coalesce(r.due_from_seq, r.last_seq + 1) end
            where r.run_id = p_run_id
            returning r.last_seq, r.last_persisted_at, r.due_from_seq into v_seq, v_persisted_at, v_due_from_seq;

            exit when found;

            insert into runstore.run_counters (
                run_id, tenant_id, project_id, environment_id, last_seq, last_persisted_at, due_from_seq
            )
            values (
                p_run_id, p_tenant_id, p_project_id, p_environment_id, 1, runstore.clock(),
                case when v_notes then 1 end
            )
            on conflict do nothing
            returning last_seq, last_persisted_at, due_from_seq into v_seq, v_persisted_at, v_due_from_seq;

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

    if v_due_from_seq = v_seq then
        insert into runstore.due_runs (run_id, consumer, due_since)
        select p_run_id, f.name, v_persisted_at
        from runstore.consumers as f
        where f.is_active or (f.name = 'projector' and not v_projects)
        on conflict do nothing;
    end if;

    if v_projects then
        if v_enforces then
            perform runstore.check_transitions(array[p_run_id], array[v_seq], null);
        end if;

        perform runstore.project_append(array[p_run_id]);
    end if;

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
