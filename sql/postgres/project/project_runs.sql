-- Folds what is new in runs, or their whole logs when p_from_start, into the projection, and answers with the stretches
-- that were folded; settle_runs() has to follow. A run whose projection fails is parked, left out of the answer, and
-- does not hold up the others: when all together fail, each is tried by itself. Races, deadlocks and lock timeouts end
-- the transaction, as anywhere. A run whose log has a gap below the stored projection stays halted as it is; that is
-- looked for when the fold is to begin at the start, and while the run is halted by a gap. The caller holds the
-- projection locks of the runs.
create function runstore.project_runs(p_run_ids text[], p_from_start boolean default false)
returns setof runstore.fold_span
language plpgsql volatile
as $$
declare
    v_doubtful text[];
    v_spans runstore.fold_span[];
    v_run_id text;
    v_sqlstate text;
    v_message text;
begin
    if p_run_ids = '{}' then
        return;
    end if;

    begin
        v_doubtful := array(
            select r.run_id
            from pg_catalog.unnest(p_run_ids) as r (run_id)
            where
                p_from_start
                or (select t.halted_by from runstore.run_states as t where t.run_id = r.run_id) = 'GAP'
        );
        v_spans := array(
            select
                case
                    when b.gap_seq is not null
                        then row(
                            s.run_id, s.known_seq, s.known_seq, s.known_seq, b.next_seq, b.gap_seq, false, null
                        )::runstore.fold_span
                    else s
                end
            from runstore.fold_spans(p_run_ids, p_from_start) as s
            left join runstore.fold_spans(v_doubtful, true) as b on s.run_id = b.run_id and s.known_seq >= b.gap_seq
        );

        if p_from_start then
            perform runstore.reset_projection(
                array(select s.run_id from pg_catalog.unnest(v_spans) as s where s.from_seq = 0)
            );
        end if;

        perform runstore.store_fold(v_spans);

        return query select s.* from pg_catalog.unnest(v_spans) as s;
        return;
    exception
        when serialization_failure or deadlock_detected or lock_not_available then
            raise;
        when others then
            get stacked diagnostics v_sqlstate = returned_sqlstate, v_message = message_text;
    end;

    if pg_catalog.cardinality(p_run_ids) = 1 then
        perform runstore.park_run(p_run_ids[1], v_sqlstate, v_message);
        return;
    end if;

    foreach v_run_id in array p_run_ids loop
        return query select s.* from runstore.project_runs(array[v_run_id], p_from_start) as s;
    end loop;
end
$$;

comment on function runstore.project_runs(text[], boolean) is
'Folds what is new in runs into the projection; parks those that fail.';

revoke all on function runstore.project_runs(text[], boolean) from public;
