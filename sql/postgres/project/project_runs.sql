-- Brings the projections of runs up to the end of their logs, or by at most p_max_events each; from nothing when
-- p_from_start. Answers with how many came to their log's end. A run whose projection fails is parked and does not
-- hold up the others: when all together fail, each is tried by itself. Races and deadlocks end the transaction, as
-- anywhere. The caller holds the projection locks of the runs.
create function runstore.project_runs(
    p_run_ids text[], p_from_start boolean default false, p_max_events bigint default null
)
returns bigint
language plpgsql volatile
as $$
declare
    v_spans runstore.fold_span[];
    v_caught_up text[];
    v_run_id text;
    v_sqlstate text;
    v_message text;
    v_done bigint := 0::bigint;
begin
    if p_run_ids = '{}' then
        return v_done;
    end if;

    begin
        v_spans := array(select s from runstore.fold_spans(p_run_ids, p_from_start, null, p_max_events) as s);

        if p_from_start then
            perform runstore.reset_projection(p_run_ids);
        end if;

        perform runstore.store_fold(v_spans);
        v_caught_up := runstore.settle_runs(v_spans);

        return (
            select pg_catalog.count(*)
            from pg_catalog.unnest(v_spans) as s
            where s.is_at_end and (s.to_seq > s.from_seq or s.run_id = any(v_caught_up))
        );
    exception
        when serialization_failure or deadlock_detected then
            raise;
        when others then
            get stacked diagnostics v_sqlstate = returned_sqlstate, v_message = message_text;
    end;

    if pg_catalog.cardinality(p_run_ids) = 1 then
        perform runstore.park_run(p_run_ids[1], v_sqlstate, v_message);
        return v_done;
    end if;

    foreach v_run_id in array p_run_ids loop
        v_done := v_done + runstore.project_runs(array[v_run_id], p_from_start, p_max_events);
    end loop;

    return v_done;
end
$$;

comment on function runstore.project_runs(text[], boolean, bigint) is
'Brings the projections of runs up to the end of their logs; parks those that fail.';

revoke all on function runstore.project_runs(text[], boolean, bigint) from public;
