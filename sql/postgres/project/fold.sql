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
