-- The snapshot as the run's log alone gives it, up to p_up_to_seq or to its end: a pure fold that reads no projection
-- and stores nothing. Stops before a gap and raises no alert. Null or a sequence past the end means all of the log;
-- RS010 below 1, RS012 for an unknown run. Takes no lock, never waits; linear in the number of events.
create function runstore.replay_snapshot(p_run_id text, p_up_to_seq bigint default null)
returns jsonb
language plpgsql stable parallel safe security definer
set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan
as $$
declare
    v_spans runstore.fold_span[];
    v_snapshot jsonb;
begin
    if p_up_to_seq < 1 then
        perform runstore.raise_error(
            'RS010',
            format('upToSeq %s is refused: expected a sequence number from 1', p_up_to_seq),
            'Give the run_seq of the last event to fold, or leave it out for all of them.',
            'upToSeq', p_up_to_seq::text, 'a whole number from 1'
        );
    end if;

    perform runstore.check_run(p_run_id);

    v_spans := array(select s from runstore.fold_spans(array[p_run_id], true, p_up_to_seq) as s);

    select
        runstore.snapshot_json(
            c.run_id, c.tenant_id, c.project_id, c.environment_id, f.status, v_spans[1].to_seq, f.started_at,
            f.completed_at, f.engine_run_ref, f.artifacts, f.error, f.is_consistent, f.steps, f.step_artifacts,
            f.failed_steps
        )
    into v_snapshot
    from runstore.run_counters as c
    cross join (
        select
            max(f.status) filter (where f.machine = 'RUN') as status,
            max(f.started_at) filter (where f.machine = 'RUN') as started_at,
            max(f.completed_at) filter (where f.machine = 'RUN') as completed_at,
            (array_agg(f.engine_run_ref) filter (where f.machine = 'RUN'))[1] as engine_run_ref,
            (array_agg(f.artifacts) filter (where f.machine = 'RUN'))[1] as artifacts,
            (array_agg(f.error) filter (where f.machine = 'RUN'))[1] as error,
            not bool_or(
                exists (
                    select from unnest(f.refusals) as x (refusal)
                    where substr(x.refusal, 2)::bigint < coalesce(f.late_from, 9223372036854775807)
                )
            ) as is_consistent,
            string_agg(
                runstore.step_json(
                    f.step_id, f.status, f.logical_attempt_id, f.engine_attempt_id, f.started_at, f.completed_at,
                    f.artifacts, f.error, f.reason
                ),
                ',' order by f.first_seq
            ) filter (where f.machine = 'STEP' and f.is_current) as steps,
            string_agg(runstore.array_items(f.artifacts), ',' order by f.first_seq)
            filter (where f.machine = 'STEP' and f.is_current) as step_artifacts,
            count(*) filter (where f.machine = 'STEP' and f.is_current and f.status = 'FAILED') as failed_steps
        from runstore.fold(v_spans) as f
    ) as f
    where c.run_id = p_run_id;

    return v_snapshot;
end
$$;

comment on function runstore.replay_snapshot(text, bigint) is
'The snapshot as the run''s log gives it up to p_up_to_seq; stores nothing. RS012 for an unknown run.';

revoke all on function runstore.replay_snapshot(text, bigint) from public;
grant execute on function runstore.replay_snapshot(text, bigint) to runstore_reader, runstore_worker, runstore_admin;
