-- append_events(): a batch of any number of runs, all or nothing.
-- depends: 0008.append_event_json

-- Refuses a batch for its lowest element that the log or the login does not allow: foreign tenant (RS013), another
-- identity (RS002), an event id that is taken (RS003), a signal too many (RS006), in this order within one element.
-- An element whose key is known, from the log or from earlier in the batch, is only held to the first two. The caller
-- holds the runs' locks. One statement; two index probes per element, and for signals those of signal_wait_ms().
create function runstore.check_batch(p_events runstore.incoming_event[], p_now timestamptz)
returns void
language plpgsql volatile
as $$
declare
    v_max_signals constant int := (select c.max_signals_per_minute from runstore.config as c);
    v_offence record;
begin
    with judged as (
        select
            e.index,
            e.run_id,
            e.tenant_id,
            e.event_id,
            e.is_signal,
            e.tenant_id <> all(s.tenants) as tenant_is_foreign,
            (r.tenant_id, r.project_id, r.environment_id) <> (e.tenant_id, e.project_id, e.environment_id)
                as identity_differs,
            greatest(p_now, r.last_persisted_at) as persisted_at,
            pg_catalog.row_number() over (partition by e.run_id, e.idempotency_key order by e.index) = 1
            and (
                select k.run_seq from runstore.run_events as k
                where k.run_id = e.run_id and k.idempotency_key = e.idempotency_key
            ) is null as is_new
        from pg_catalog.unnest(p_events) as e
        left join runstore.run_counters as r on e.run_id = r.run_id
        cross join runstore.session_tenants as s
    ),

    new_only as (
        select
            j.index,
            pg_catalog.row_number() over (partition by j.run_id, j.event_id order by j.index) > 1
            or (
                select i.run_seq from runstore.run_events as i
                where i.run_id = j.run_id and i.event_id = j.event_id
            ) is not null as event_id_is_taken,
            case
                when j.is_signal
                    then runstore.signal_wait_ms(
                        j.run_id,
                        j.persisted_at,
                        v_max_signals,
                        (pg_catalog.count(*) over (partition by j.run_id, j.is_signal order by j.index))::int - 1
                    )
            end as signal_wait_ms
        from judged as j
        where j.is_new
    )

    select
        j.index, j.run_id, j.tenant_id, j.event_id, j.tenant_is_foreign, j.identity_differs, n.event_id_is_taken,
        n.signal_wait_ms
    into v_offence
    from judged as j
    left join new_only as n on j.index = n.index
    where j.tenant_is_foreign or j.identity_differs or n.event_id_is_taken or n.signal_wait_ms > 0
    order by j.index
    limit 1;

    if not found then
        return;
    end if;

    if v_offence.tenant_is_foreign then
        perform runstore.refuse_foreign_tenant(v_offence.tenant_id, v_offence.index);
    elsif v_offence.identity_differs then
        perform runstore.refuse_identity(v_offence.run_id, v_offence.index);
    elsif v_offence.event_id_is_taken then
        perform runstore.refuse_event_id(v_offence.event_id, v_offence.index);
    else
        perform runstore.refuse_signal(
            v_offence.run_id, v_max_signals, v_offence.signal_wait_ms, v_offence.index
        );
    end if;
end
$$;

comment on function runstore.check_batch(runstore.incoming_event[], timestamptz) is
'Raises RS013, RS002, RS003 or RS006 for the lowest element that offends.';

revoke all on function runstore.check_batch(runstore.incoming_event[], timestamptz) from public;

-- Takes the locks of all runs of a batch: their rows in run_counters, in run_id order and until the transaction ends.
-- A run that is new gets its row here, with the identity of its first event in the batch and no events yet; one that
-- is there is locked and not changed. One statement.
create function runstore.lock_runs(p_events runstore.incoming_event[])
returns void
language plpgsql volatile
as $$
begin
    insert into runstore.run_counters as r (
        run_id, tenant_id, project_id, environment_id, last_seq, last_persisted_at
    )
    select e.run_id, e.tenant_id, e.project_id, e.environment_id, 0, '-infinity'
    from pg_catalog.unnest(p_events) as e
    where e.nth = 1
    order by e.run_id collate "C"
    on conflict (run_id) do update set last_seq = r.last_seq where false;
end
$$;

comment on function runstore.lock_runs(runstore.incoming_event[]) is
'Takes the locks of all runs of a batch, in run_id order.';

revoke all on function runstore.lock_runs(runstore.incoming_event[]) from public;

-- Brings the counters of a batch's runs to the last event of each run's log. The caller holds the runs' locks and has
-- inserted the events. One statement; one index entry per run.
create function runstore.advance_counters(p_events runstore.incoming_event[])
returns void
language plpgsql volatile
as $$
begin
    update runstore.run_counters as r
    set
        last_seq = l.run_seq,
        last_persisted_at = l.persisted_at
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
    where e.nth = 1 and r.run_id = e.run_id and r.last_seq < l.run_seq;
end
$$;

comment on function runstore.advance_counters(runstore.incoming_event[]) is
'Brings the counters of a batch''s runs to the end of their logs.';

revoke all on function runstore.advance_counters(runstore.incoming_event[]) from public;

-- Appends a batch in which every event is new, belongs to its run's identity and is no signal, and answers in input
-- order; the counters are left to the caller, who holds the runs' locks. Raises unique_violation when an event is not
-- new, its id is taken or its identity is not the run's: the caller then undoes this and looks at each event. One
-- INSERT.
create function runstore.append_new_events(p_events runstore.incoming_event[], p_now timestamptz)
returns setof runstore.append_result
language plpgsql volatile
as $$
declare
    v_inserted bigint;
begin
    insert into runstore.run_events (
        run_id, run_seq, event_id, event_type, step_id, engine_attempt_id, logical_attempt_id, plan_id, plan_version,
        idempotency_key, payload, emitted_at, persisted_at, adapter_version, engine_run_ref, caused_by_signal_id,
        parent_event_id
    )
    select
        e.run_id, r.last_seq + e.nth, e.event_id, e.event_type, e.step_id, e.engine_attempt_id, e.logical_attempt_id,
        e.plan_id, e.plan_version, e.idempotency_key, e.payload, e.emitted_at,
        greatest(p_now, r.last_persisted_at), e.adapter_version, e.engine_run_ref, e.caused_by_signal_id,
        e.parent_event_id
    from pg_catalog.unnest(p_events) as e
    inner join runstore.run_counters as r
        on
            e.run_id = r.run_id
            and e.tenant_id = r.tenant_id
            and e.project_id = r.project_id
            and e.environment_id = r.environment_id;

    get diagnostics v_inserted = row_count;

    if v_inserted < pg_catalog.cardinality(p_events) then
        raise unique_violation;
    end if;

    return query
    select e.event_id, r.last_seq + e.nth, greatest(p_now, r.last_persisted_at), false, true
    from pg_catalog.unnest(p_events) as e
    inner join runstore.run_counters as r on e.run_id = r.run_id
    order by e.index;
end
$$;

comment on function runstore.append_new_events(runstore.incoming_event[], timestamptz) is
'Appends a batch in which every event is new; raises when one is not.';

revoke all on function runstore.append_new_events(runstore.incoming_event[], timestamptz) from public;

-- Appends the events of a checked batch whose key is new, in input order, and answers every element, the known ones
-- with the stored event; known ones that differ from it raise an IDEMPOTENCY_CONFLICT alert each. The caller holds
-- the runs' locks. Four statements, whatever the size; index probes per element.
create function runstore.append_mixed_events(p_events runstore.incoming_event[], p_now timestamptz)
returns setof runstore.append_result
language plpgsql volatile
as $$
begin
    insert into runstore.run_events (
        run_id, run_seq, event_id, event_type, step_id, engine_attempt_id, logical_attempt_id, plan_id, plan_version,
        idempotency_key, payload, emitted_at, persisted_at, adapter_version, engine_run_ref, caused_by_signal_id,
        parent_event_id
    )
    select
        n.run_id, r.last_seq + pg_catalog.row_number() over (partition by n.run_id order by n.index), n.event_id,
        n.event_type, n.step_id, n.engine_attempt_id, n.logical_attempt_id, n.plan_id, n.plan_version,
        n.idempotency_key, n.payload, n.emitted_at, greatest(p_now, r.last_persisted_at), n.adapter_version,
        n.engine_run_ref, n.caused_by_signal_id, n.parent_event_id
    from (
        select distinct on (e.run_id, e.idempotency_key) e.*
        from pg_catalog.unnest(p_events) as e
        order by e.run_id, e.idempotency_key, e.index
    ) as n
    inner join runstore.run_counters as r on n.run_id = r.run_id
    where
        (
            select k.run_seq from runstore.run_events as k
            where k.run_id = n.run_id and k.idempotency_key = n.idempotency_key
        ) is null;

    perform runstore.raise_alert(
        'IDEMPOTENCY_CONFLICT', d.run_id, d.tenant_id, d.event_id, d.run_seq,
        pg_catalog.jsonb_build_object('differs', d.fields)
    )
    from (
        select
            e.index,
            e.run_id,
            e.tenant_id,
            s.event_id,
            s.run_seq,
            runstore.differing_fields(
                s.event_type, e.event_type, s.step_id, e.step_id, s.payload, e.payload,
                s.caused_by_signal_id, e.caused_by_signal_id
            ) as fields
        from pg_catalog.unnest(p_events) as e
        cross join lateral (
            select k.* from runstore.run_events as k
            where k.run_id = e.run_id and k.idempotency_key = e.idempotency_key
            limit 1
        ) as s
    ) as d
    where d.fields <> '{}'
    order by d.run_id, d.index;

    return query
    select a.event_id, a.run_seq, a.persisted_at, not a.is_new, a.is_new
    from (
        select
            e.index,
            s.event_id,
            s.run_seq,
            s.persisted_at,
            s.run_seq > r.last_seq
            and pg_catalog.row_number() over (partition by e.run_id, e.idempotency_key order by e.index) = 1 as is_new
        from pg_catalog.unnest(p_events) as e
        inner join runstore.run_counters as r on e.run_id = r.run_id
        cross join lateral (
            select k.event_id, k.run_seq, k.persisted_at from runstore.run_events as k
            where k.run_id = e.run_id and k.idempotency_key = e.idempotency_key
            limit 1
        ) as s
    ) as a
    order by a.index;
end
$$;

comment on function runstore.append_mixed_events(runstore.incoming_event[], timestamptz) is
'Appends the new events of a checked batch and answers all of them.';

revoke all on function runstore.append_mixed_events(runstore.incoming_event[], timestamptz) from public;

-- Appends a JSON array of events, of any number of runs, all or nothing, and answers with one row per element in
-- input order. Refusals are those of append_event(), for the lowest offending element. A key that an earlier element
-- of the batch has counts as known. Events of one run keep their order and share one persisted_at.
-- Locks: the runs' rows in run_counters, in run_id order, until the transaction ends: batches cannot deadlock each
-- other. Runs from the first element on that names a foreign tenant or another identity are not locked. What needs
-- the log is decided under the locks, with snapshots taken after them; in REPEATABLE READ and SERIALIZABLE a run that
-- has moved on since the snapshot ends in 40001.
-- Cost: a fixed number of statements, whatever the size. The usual batch, in which every event is new, is one INSERT;
-- it runs in a subtransaction, because only its failure tells that an event is known.
create function runstore.append_events(p_events jsonb)
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
        perform runstore.check_batch(v_events, v_now);

        if v_misplaced_index is not null then
            perform runstore.raise_error(
                '40001', 'the tenants of the login changed while the batch was checked', 'Send the batch again.'
            );
        end if;

        if v_fault is not null then
            perform runstore.refuse_event(v_fault, p_events -> v_fault_index, v_fault_index);
        end if;

        return query select a.* from runstore.append_mixed_events(v_events, v_now) as a;
    end if;

    perform runstore.advance_counters(v_events);
end
$$;

comment on function runstore.append_events(jsonb) is
'Appends a JSON array of events, all or nothing; one answer per element, in input order.';

revoke all on function runstore.append_events(jsonb) from public;
grant execute on function runstore.append_events(jsonb) to runstore_writer, runstore_admin;
