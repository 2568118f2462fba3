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

comment on function runstore.append_events(jsonb) is
'Appends a JSON array of events, all or nothing; one answer per element, in input order.';

revoke all on function runstore.append_events(jsonb) from public;
grant execute on function runstore.append_events(jsonb) to runstore_writer, runstore_admin;
