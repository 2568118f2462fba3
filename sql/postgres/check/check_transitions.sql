-- Refuses events that were just appended and that the transitions do not allow (RS004), by the lowest index in the
-- batch. Folds what is new since the stored snapshot, without storing anything; one statement reads both, so a
-- projector that moves the snapshot meanwhile does no harm. Where folding is not possible, because of a gap or a
-- damaged row, nothing is refused: an append does not fail because a projection would. The caller holds the runs'
-- locks.
create function runstore.check_transitions(p_run_ids text[], p_event_ids uuid[], p_is_batch boolean)
returns void
language plpgsql volatile
as $$
declare
    v_index int;
    v_event_type text;
    v_status text;
    v_machine text;
begin
    begin
        select
            (i.nth - 1)::int, e.event_type, k.status, k.machine
        into v_index, v_event_type, v_status, v_machine
        from runstore.fold(array(select s from runstore.fold_spans(p_run_ids, false) as s)) as f
        cross join lateral rows from (
            pg_catalog.unnest(f.refused_seqs), pg_catalog.unnest(f.refused_at)
        ) as r (run_seq, code)
        inner join runstore.run_events as e on f.run_id = e.run_id and r.run_seq = e.run_seq
        inner join runstore.statuses as k on f.machine = k.machine and r.code = k.code
        inner join pg_catalog.unnest(p_event_ids) with ordinality as i (event_id, nth) on e.event_id = i.event_id
        where r.run_seq < coalesce(f.late_from, 9223372036854775807)
        order by i.nth
        limit 1;
    exception
        when serialization_failure or deadlock_detected then
            raise;
        when others then
            return;
    end;

    if v_index is not null then
        perform runstore.refuse_transition(
            v_event_type, v_machine, v_status,
            case when p_is_batch then v_index end
        );
    end if;
end
$$;

comment on function runstore.check_transitions(text[], uuid[], boolean) is
'Raises RS004 for events that the transitions do not allow.';

revoke all on function runstore.check_transitions(text[], uuid[], boolean) from public;
