-- The fold of a log, and the check that transitions allow an event.
-- depends: 0012.projection

create type runstore.fold_span as (
    run_id text,
    from_seq bigint,
    to_seq bigint,
    known_seq bigint,
    next_seq bigint,
    gap_seq bigint,
    is_at_end boolean,
    step_ids text array
);

comment on type runstore.fold_span is 'The stretch of one run''s log that is to be folded. Internal.';
comment on column runstore.fold_span.run_id is 'The run.';
comment on column runstore.fold_span.from_seq is
'Where the fold begins: after this event, from the stored projection; 0 for the whole log, from nothing.';
comment on column runstore.fold_span.to_seq is 'The last event to fold; no event up to it is missing.';
comment on column runstore.fold_span.known_seq is
'Where the stored projection stands: refusals up to it have been reported.';
comment on column runstore.fold_span.next_seq is 'The first event after a gap; null when the log ends in the gap.';
comment on column runstore.fold_span.gap_seq is 'The first event that is missing; null when none is.';
comment on column runstore.fold_span.is_at_end is 'Whether to_seq is the run''s last event.';
comment on column runstore.fold_span.step_ids is 'The steps that the stretch names, when it begins at a projection.';

create type runstore.folded as (
    run_id text,
    machine text,
    step_id text,
    is_current boolean,
    status text,
    first_seq bigint,
    logical_attempt_id int,
    engine_attempt_id int,
    started_at timestamptz,
    completed_at timestamptz,
    engine_run_ref jsonb,
    artifacts jsonb,
    error jsonb,
    reason jsonb,
    late_from bigint,
    refusals text array
);

comment on type runstore.folded is 'A run, or one step of it, after a fold. Internal.';
comment on column runstore.folded.run_id is 'The run.';
comment on column runstore.folded.machine is 'RUN or STEP.';
comment on column runstore.folded.step_id is 'The step; null for the run.';
comment on column runstore.folded.is_current is
'Whether this is the step''s newest attempt; older ones are here only for the events that they refused.';
comment on column runstore.folded.status is 'As in run_states and run_steps.';
comment on column runstore.folded.first_seq is 'As in run_steps.';
comment on column runstore.folded.logical_attempt_id is 'As in run_steps.';
comment on column runstore.folded.engine_attempt_id is 'As in run_steps.';
comment on column runstore.folded.started_at is 'As in run_states and run_steps.';
comment on column runstore.folded.completed_at is 'As in run_states and run_steps.';
comment on column runstore.folded.engine_run_ref is 'As in run_states.';
comment on column runstore.folded.artifacts is 'As in run_states and run_steps.';
comment on column runstore.folded.error is 'As in run_states and run_steps.';
comment on column runstore.folded.reason is 'As in run_steps.';
comment on column runstore.folded.late_from is
'run_seq from which on events of this attempt are late, because a newer attempt has begun.';
comment on column runstore.folded.refusals is
'The events that the transitions refused, late ones included: the letter of the state at which each was refused, '
'followed by its run_seq.';

-- How far each run's log can be folded: from the stored projection, or from nothing, up to its end, p_up_to_seq or the
-- event before a gap, whichever comes first. The log's end is what run_counters says in the same snapshot, so that
-- missing events at the end are a gap too. Unknown runs are left out. Locks nothing; reads the stretch's rows once.
create function runstore.fold_spans(p_run_ids text[], p_from_start boolean, p_up_to_seq bigint default null)
returns setof runstore.fold_span
language plpgsql stable
as $$
begin
    return query
    select
        r.run_id,
        f.from_seq,
        u.to_seq,
        coalesce(t.last_event_seq, 0),
        g.next_seq,
        case when u.to_seq < least(r.last_seq, p_up_to_seq) then u.to_seq + 1 end,
        u.to_seq = r.last_seq,
        case
            when f.from_seq > 0
                then (
                    select pg_catalog.array_agg(distinct e.step_id)
                    from runstore.run_events as e
                    where
                        e.run_id = r.run_id
                        and e.run_seq > f.from_seq
                        and e.run_seq <= u.to_seq
                        and e.step_id is not null
                )
        end
    from pg_catalog.unnest(p_run_ids) as i (run_id)
    cross join lateral (
        select c.run_id, c.last_seq from runstore.run_counters as c where c.run_id = i.run_id limit 1
    ) as r
    left join lateral (
        select k.last_event_seq from runstore.run_states as k where k.run_id = i.run_id limit 1
    ) as t on true
    cross join lateral (
        select case when p_from_start then 0 else coalesce(t.last_event_seq, 0) end as from_seq
    ) as f
    cross join lateral (
        select
            pg_catalog.count(*) as events,
            pg_catalog.max(l.run_seq) as last_seq
        from runstore.run_events as l
        where
            l.run_id = r.run_id
            and l.run_seq > f.from_seq
            and l.run_seq <= coalesce(p_up_to_seq, 9223372036854775807)
    ) as n
    left join lateral (
        select
            pg_catalog.count(*) filter (where l.run_seq = f.from_seq + l.nth) as unbroken,
            pg_catalog.min(l.run_seq) filter (where l.run_seq > f.from_seq + l.nth) as next_seq
        from (
            select
                e.run_seq,
                pg_catalog.row_number() over (order by e.run_seq) as nth
            from runstore.run_events as e
            where e.run_id = r.run_id and e.run_seq > f.from_seq and e.run_seq <= n.last_seq
        ) as l
    ) as g on n.events < n.last_seq - f.from_seq
    cross join lateral (select f.from_seq + coalesce(g.unbroken, n.events) as to_seq) as u;
end
$$;

comment on function runstore.fold_spans(text[], boolean, bigint) is
'How far each run''s log can be folded, and whether a gap stops it.';

revoke all on function runstore.fold_spans(text[], boolean, bigint) from public;

-- Folds stretches of logs: one row per run, and one per step that a stretch names. A stretch that begins at 0 is folded
-- from nothing, any other from the stored projection, which the caller keeps from moving; both take the same way, so
-- an incremental projection equals a full replay. Every rule is a row: walk() takes each machine through
-- event_effects. A step's machine begins anew with each higher logical attempt: events of a lower one that come after
-- it are late, and ignored. Locks nothing. One sort of the stretch's events, by step; linear. Inlined into the calling
-- query, whose function has to force a generic plan: a plan for one short stretch would be a bad one for a long one.
create function runstore.fold(p_spans runstore.fold_span[])
returns setof runstore.folded
language sql stable
as $$
    with spans as (
        select s.run_id, s.from_seq, s.to_seq, s.step_ids, s.nth
        from pg_catalog.unnest(p_spans) with ordinality as s (
            run_id, from_seq, to_seq, known_seq, next_seq, gap_seq, is_at_end, step_ids, nth
        )
    ),

    inputs as (
        select
            s.nth, '' as owner, 0 as attempt_rank, s.from_seq as run_seq, null::int as engine_attempt_id, t.started_at,
            t.completed_at, t.engine_run_ref, t.artifacts, t.error, null::jsonb as reason, 'P' as from_codes,
            coalesce(k.code, 'P') as to_codes
        from spans as s
        left join lateral (
            select r.* from runstore.run_states as r where r.run_id = s.run_id and s.from_seq > 0 limit 1
        ) as t on true
        left join runstore.statuses as k on k.machine = 'RUN' and t.status = k.status
        union all
        select
            s.nth, t.step_id, -t.logical_attempt_id, s.from_seq, t.engine_attempt_id, t.started_at,
            t.completed_at, null, t.artifacts, t.error, t.reason, 'P', k.code
        from spans as s
        cross join lateral pg_catalog.unnest(s.step_ids) as i (step_id)
        cross join lateral (
            select p.* from runstore.run_steps as p where p.run_id = s.run_id and p.step_id = i.step_id limit 1
        ) as t
        inner join runstore.statuses as k on k.machine = 'STEP' and t.status = k.status
        union all
        select
            s.nth,
            case x.machine when 'STEP' then e.step_id else '' end,
            case x.machine when 'STEP' then -e.logical_attempt_id else 0 end,
            e.run_seq,
            e.engine_attempt_id,
            case when x.sets_started_at then e.emitted_at end,
            case when x.sets_completed_at then e.emitted_at end,
            case when x.takes_engine_run_ref then e.engine_run_ref end,
            case when x.takes_artifacts then e.payload -> 'artifactRefs' end,
            case when x.takes_error then nullif(e.payload -> 'error', 'null') end,
            case when x.takes_reason then nullif(e.payload -> 'reason', 'null') end,
            x.from_codes,
            x.to_codes
        from spans as s
        cross join lateral (
            select l.*
            from runstore.run_events as l
            where l.run_id = s.run_id and l.run_seq > s.from_seq and l.run_seq <= s.to_seq
            order by l.run_seq
            offset 0
        ) as e
        inner join runstore.event_effects as x on e.event_type = x.event_type
    ),

    walked as (
        select
            i.*,
            runstore.walk(i.from_codes, i.to_codes) over attempt as code,
            pg_catalog.count(i.started_at) over attempt as starts,
            pg_catalog.lead(true) over attempt is null as is_last
        from inputs as i
        window attempt as (partition by i.owner, i.nth, i.attempt_rank order by i.run_seq)
    ),

    attempts as (
        select
            w.nth,
            w.owner,
            w.attempt_rank,
            pg_catalog.max(w.code) filter (where w.is_last) as code,
            pg_catalog.min(w.run_seq) as first_seq,
            pg_catalog.max(w.engine_attempt_id) filter (where w.code < 'a') as engine_attempt_id,
            pg_catalog.max(w.started_at) filter (where w.code < 'a' and w.starts = 1) as started_at,
            pg_catalog.max(w.completed_at) filter (where w.code < 'a') as completed_at,
            runstore.any_json(w.engine_run_ref) filter (where w.code < 'a') as engine_run_ref,
            runstore.any_json(w.artifacts) filter (where w.code < 'a') as artifacts,
            runstore.any_json(w.error) filter (where w.code < 'a') as error,
            runstore.any_json(w.reason) filter (where w.code < 'a') as reason,
            pg_catalog.array_agg(pg_catalog.upper(w.code) || w.run_seq::text) filter (where w.code >= 'a') as refusals
        from walked as w
        group by w.owner, w.nth, w.attempt_rank
    ),

    ranked as (
        select
            a.*,
            pg_catalog.row_number() over newest_first = 1 as is_current,
            pg_catalog.min(a.first_seq) over (partition by a.owner, a.nth) as owner_first_seq,
            pg_catalog.min(a.first_seq) over (
                newest_first rows between unbounded preceding and 1 preceding
            ) as late_from
        from attempts as a
        window newest_first as (partition by a.owner, a.nth order by a.attempt_rank)
    )

    select
        s.run_id,
        m.machine,
        nullif(r.owner, '') as step_id,
        r.is_current,
        (
            select pg_catalog.jsonb_object_agg(k.machine || k.code, k.status) from runstore.statuses as k
        ) ->> (m.machine || pg_catalog.upper(r.code)) as status,
        r.owner_first_seq as first_seq,
        -r.attempt_rank as logical_attempt_id,
        r.engine_attempt_id, r.started_at, r.completed_at, r.engine_run_ref, r.artifacts, r.error, r.reason, r.late_from,
        r.refusals
    from ranked as r
    inner join spans as s on r.nth = s.nth
    cross join lateral (select case r.owner when '' then 'RUN' else 'STEP' end as machine) as m
    where r.is_current or r.refusals is not null;
$$;

comment on function runstore.fold(runstore.fold_span[]) is
'Folds stretches of logs: one row per run, and one per step that a stretch names.';

revoke all on function runstore.fold(runstore.fold_span[]) from public;

-- Refuses an event that the transitions do not allow at the state of its run or step. Never returns. Reads
-- transitions.
create function runstore.refuse_transition(p_event_type text, p_machine text, p_status text, p_index int default null)
returns void
language plpgsql stable
as $$
begin
    perform runstore.raise_error(
        'RS004',
        pg_catalog.concat(
            'event ' || p_index::text || ' of the batch: ',
            pg_catalog.format(
                'eventType "%s" is refused: the %s stands at %s', p_event_type, pg_catalog.lower(p_machine), p_status
            )
        ),
        'Look at the snapshot: the event came too late, twice or out of order.',
        'eventType',
        p_event_type,
        (
            select pg_catalog.format(
                'a %s at %s', pg_catalog.lower(p_machine),
                pg_catalog.string_agg(t.from_status, ', ' order by t.from_status)
            )
            from runstore.transitions as t
            where t.machine = p_machine and t.event_type = p_event_type
        ),
        p_index
    );
end
$$;

comment on function runstore.refuse_transition(text, text, text, int) is
'Raises RS004 for an event that the transitions do not allow.';

revoke all on function runstore.refuse_transition(text, text, text, int) from public;

-- Refuses events that were just appended and that the transitions do not allow (RS004): the one with the lowest place
-- in the batch, if p_indexes has places. Folds what is new since the stored snapshot, without storing anything; should
-- a projector move the snapshot meanwhile, it begins again. Where folding is not possible, because of a gap or a
-- damaged row, nothing is refused: an append does not fail because a projection would. The caller holds the runs'
-- locks.
create function runstore.check_transitions(p_run_ids text[], p_run_seqs bigint[], p_indexes int[])
returns void
language plpgsql volatile
set plan_cache_mode = force_generic_plan
as $$
declare
    v_spans runstore.fold_span[];
    v_index int;
    v_event_type text;
    v_status text;
    v_machine text;
begin
    begin
        loop
            v_spans := array(
                select s
                from runstore.fold_spans(
                    array(select distinct r.run_id from pg_catalog.unnest(p_run_ids) as r (run_id)), false
                ) as s
            );

            select i.index, e.event_type, k.status, k.machine
            into v_index, v_event_type, v_status, v_machine
            from runstore.fold(v_spans) as f
            cross join lateral pg_catalog.unnest(f.refusals) as x (refusal)
            cross join lateral (
                select
                    pg_catalog.left(x.refusal, 1) as code,
                    pg_catalog.substr(x.refusal, 2)::bigint as run_seq
            ) as r
            inner join rows from (
                pg_catalog.unnest(p_run_ids), pg_catalog.unnest(p_run_seqs), pg_catalog.unnest(p_indexes)
            ) as i (run_id, run_seq, index) on f.run_id = i.run_id and r.run_seq = i.run_seq
            inner join runstore.run_events as e on i.run_id = e.run_id and i.run_seq = e.run_seq
            inner join runstore.statuses as k on f.machine = k.machine and r.code = k.code
            where r.run_seq < coalesce(f.late_from, 9223372036854775807)
            order by i.index
            limit 1;

            exit when not exists (
                select from pg_catalog.unnest(v_spans) as s
                inner join runstore.run_states as t on s.run_id = t.run_id and s.known_seq <> t.last_event_seq
            );
        end loop;
    exception
        when serialization_failure or deadlock_detected or lock_not_available then
            raise;
        when others then
            return;
    end;

    if v_event_type is not null then
        perform runstore.refuse_transition(v_event_type, v_machine, v_status, v_index);
    end if;
end
$$;

comment on function runstore.check_transitions(text[], bigint[], int[]) is
'Raises RS004 for events that the transitions do not allow.';

revoke all on function runstore.check_transitions(text[], bigint[], int[]) from public;

-- Refuses a batch for its lowest element that the transitions do not allow (RS004), where they are enforced. Elements
-- whose key was known are not held to them. The caller holds the runs' locks, has inserted the events, and has not
-- advanced the counters yet: what lies beyond them is new. One read of config; where transitions are enforced, one
-- index probe per element and a fold.
create function runstore.check_batch_transitions(p_events runstore.incoming_event[])
returns void
language plpgsql volatile
as $$
declare
    v_run_ids text[];
    v_run_seqs bigint[];
    v_indexes int[];
begin
    if not (select c.enforce_transitions from runstore.config as c where c.singleton) then
        return;
    end if;

    select
        pg_catalog.array_agg(n.run_id),
        pg_catalog.array_agg(n.run_seq),
        pg_catalog.array_agg(n.index)
    into v_run_ids, v_run_seqs, v_indexes
    from (
        select
            e.run_id,
            k.run_seq,
            pg_catalog.min(e.index) as index
        from pg_catalog.unnest(p_events) as e
        inner join runstore.run_counters as r on e.run_id = r.run_id
        cross join lateral (
            select l.run_seq from runstore.run_events as l
            where l.run_id = e.run_id and l.idempotency_key = e.idempotency_key
            limit 1
        ) as k
        where k.run_seq > r.last_seq
        group by e.run_id, k.run_seq
    ) as n;

    perform runstore.check_transitions(v_run_ids, v_run_seqs, v_indexes);
end
$$;

comment on function runstore.check_batch_transitions(runstore.incoming_event[]) is
'Raises RS004 for the lowest element of a batch that the transitions do not allow.';

revoke all on function runstore.check_batch_transitions(runstore.incoming_event[]) from public;

-- For a batch that is about to be refused for an element: where transitions are enforced, refuses it for an earlier
-- element instead, if one is not allowed (RS004), because a batch reports its lowest offending element. p_detail is the
-- DETAIL of the refusal at hand. The elements before it are appended for that; what follows is an error in any case,
-- and undoes them.
create function runstore.check_earlier_elements(p_events jsonb, p_detail text)
returns void
language plpgsql volatile
as $$
declare
    v_index constant int := (p_detail::jsonb ->> 'index')::int;
begin
    if v_index > 0 and (select c.enforce_transitions from runstore.config as c where c.singleton) then
        perform runstore.append_events((
            select pg_catalog.jsonb_agg(e.event order by e.nth)
            from pg_catalog.jsonb_array_elements(p_events) with ordinality as e (event, nth)
            where e.nth <= v_index
        ));
    end if;
end
$$;

comment on function runstore.check_earlier_elements(jsonb, text) is
'Refuses a batch for an element before the one at hand, if the transitions do not allow it.';

revoke all on function runstore.check_earlier_elements(jsonb, text) from public;
