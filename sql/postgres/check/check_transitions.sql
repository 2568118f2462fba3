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
