-- Appends note that a run has work for the projector, or project it inline.
-- depends: 0016.projector

-- Puts the counter of a run back to where it was before the append that took p_seq, which found its event stored
-- already. The caller holds the run's lock. One HOT update.
create or replace function runstore.give_back_seq(p_run_id text, p_seq bigint)
returns void
language sql volatile
as $$
    update runstore.run_counters as r
    set
        last_seq = e.run_seq,
        last_persisted_at = e.persisted_at,
        due_from_seq = nullif(r.due_from_seq, p_seq)
    from runstore.run_events as e
    where r.run_id = p_run_id and e.run_id = p_run_id and e.run_seq = p_seq - 1;
$$;

-- Its answer changes; only functions of this schema call it.
-- squawk-ignore ban-drop-function
drop function runstore.advance_counters(runstore.incoming_event[]);

-- Brings the counters of a batch's runs to the last event of each run's log, and notes for the consumers of the log,
-- where there are any, the runs that are not noted yet. Answers whether the caller has to project the runs inline: the
-- settings are read once, so that whoever changes them meanwhile, the runs are either noted or projected. The caller
-- holds the runs' locks and has inserted the events. Two statements; one index entry per run.
create function runstore.advance_counters(p_events runstore.incoming_event[])
returns boolean
language plpgsql volatile
as $$
declare
    v_log_is_followed boolean;
    v_projects_inline boolean;
begin
    select c.log_is_followed, c.projection_mode = 'inline'
    into v_log_is_followed, v_projects_inline
    from runstore.config as c
    where c.singleton;

    with advanced as (
        update runstore.run_counters as r
        set
            last_seq = l.run_seq,
            last_persisted_at = l.persisted_at,
            due_from_seq = case when v_log_is_followed then coalesce(r.due_from_seq, l.run_seq) end
        from pg_catalog.unnest(p_events) as e
        cross join lateral (
            select
                k.run_seq,
                k.persisted_at
            from runstore.run_events as k
            where k.run_id = e.run_id
            order by k.run_seq desc
            limit 1
        ) as l
        where e.nth = 1 and r.run_id = e.run_id and r.last_seq < l.run_seq
        returning r.run_id, r.last_seq, r.last_persisted_at, r.due_from_seq
    )

    insert into runstore.due_runs (run_id, consumer, due_since)
    select a.run_id, f.name, a.last_persisted_at
    from advanced as a
    cross join runstore.consumers as f
    where a.due_from_seq = a.last_seq and (f.is_active or (f.name = 'projector' and not v_projects_inline))
    on conflict do nothing;

    return v_projects_inline;
end
$$;

comment on function runstore.advance_counters(runstore.incoming_event[]) is
'Brings the counters of a batch''s runs to the end of their logs, and notes the runs for their consumers.';

revoke all on function runstore.advance_counters(runstore.incoming_event[]) from public;

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
create or replace function runstore.append_event(
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

-- Appends a JSON array of events, of any number of runs, all or nothing, and answers with one row per element in
-- input order. Refusals are those of append_event(), for the lowest offending element. A key that an earlier element
-- of the batch has counts as known. Events of one run keep their order and share one persisted_at.
-- Locks: the runs' rows in run_counters, in run_id order, until the transaction ends: batches cannot deadlock each
-- other. Runs from the first element on that names a foreign tenant or another identity are not locked. What needs
-- the log is decided under the locks, with snapshots taken after them; in REPEATABLE READ and SERIALIZABLE a run that
-- has moved on since the snapshot ends in 40001.
-- Cost: a fixed number of statements, whatever the size. The usual batch, in which every event is new, is one INSERT;
-- it runs in a subtransaction, because only its failure tells that an event is known.
create or replace function runstore.append_events(p_events jsonb)
returns setof runstore.append_result
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
declare
    v_events runstore.incoming_event[];
    v_fault_index int;
    v_fault text;
    v_misplaced_index int;
    v_has_signals boolean;
    v_is_done boolean := false;
    v_now timestamptz;
    v_detail text;
begin
    if (jsonb_typeof(p_events) = 'array') is not true then
        perform runstore.raise_error(
            'RS001',
            'events is refused: expected a JSON array',
            'Send the events as one JSON array; an empty one is fine.',
            'events', null, 'a JSON array'
        );
    end if;

    select
        array_agg(e order by e.index),
        min(e.index) filter (where e.fault is not null),
        bool_or(e.is_signal)
    into v_events, v_fault_index, v_has_signals
    from runstore.parse_events(p_events) as e;

    if v_events is null then
        return;
    end if;

    if v_fault_index is not null then
        v_fault := v_events[v_fault_index + 1].fault;
        v_events := v_events[:v_fault_index];
    end if;

    select min(e.index) into v_misplaced_index
    from unnest(v_events) as e
    cross join runstore.session_tenants as s
    left join runstore.run_counters as r on r.run_id = e.run_id
    where
        e.tenant_id <> all(s.tenants)
        or (r.tenant_id, r.project_id, r.environment_id) <> (e.tenant_id, e.project_id, e.environment_id);

    perform runstore.lock_runs(v_events[:coalesce(v_misplaced_index, cardinality(v_events))]);
    v_now := runstore.clock();

    if v_fault is null and v_misplaced_index is null and not v_has_signals then
        begin
            return query select a.* from runstore.append_new_events(v_events, v_now) as a;
            v_is_done := true;
        exception
            when unique_violation then
                null; -- not every event is new and in its place: look at each
        end;
    end if;

    if not v_is_done then
        begin
            perform runstore.check_batch(v_events, v_now);

            if v_misplaced_index is not null then
                perform runstore.raise_error(
                    '40001', 'the tenants of the login changed while the batch was checked', 'Send the batch again.'
                );
            end if;

            if v_fault is not null then
                perform runstore.refuse_event(v_fault, p_events -> v_fault_index, v_fault_index);
            end if;
        exception
            when
                sqlstate 'RS001' or sqlstate 'RS002' or sqlstate 'RS003'
                or sqlstate 'RS005' or sqlstate 'RS006' or sqlstate 'RS013'
            then
                get stacked diagnostics v_detail = pg_exception_detail;
                perform runstore.check_earlier_elements(p_events, v_detail);
                raise;
        end;

        return query select a.* from runstore.append_mixed_events(v_events, v_now) as a;
    end if;

    perform runstore.check_batch_transitions(v_events);

    if runstore.advance_counters(v_events) then
        perform runstore.project_append(array(select e.run_id from unnest(v_events) as e where e.nth = 1));
    end if;
end
$$;
