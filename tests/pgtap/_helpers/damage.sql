-- What append never does to a log: events are lost and come back, and rows are spoilt and mended.
create temporary table lost_events (like runstore.run_events);

-- Runs a statement that the guard of the log would refuse.
create function pg_temp.unguarded(p_statement text)
returns void
language plpgsql volatile
as $$
begin
    alter table runstore.run_events disable trigger run_events_guard;
    execute p_statement;
    alter table runstore.run_events enable always trigger run_events_guard;
end
$$;

-- Takes events out of a run's log.
create function pg_temp.lose(p_run_id text, variadic p_run_seqs bigint[])
returns void
language sql volatile
as $$
    select pg_temp.unguarded(format(
        'with lost as (delete from runstore.run_events where run_id = %L and run_seq = any(%L) returning *) '
        'insert into pg_temp.lost_events select * from lost',
        p_run_id, p_run_seqs
    ))
$$;

-- Puts lost events back as they were.
create function pg_temp.bring_back(p_run_id text, variadic p_run_seqs bigint[])
returns void
language sql volatile
as $$
    with found as (
        delete from pg_temp.lost_events where run_id = p_run_id and run_seq = any(p_run_seqs) returning *
    )
    insert into runstore.run_events select * from found
$$;

-- Spoils a step event, so that its run cannot be projected past it: its step is gone.
create function pg_temp.spoil(p_run_id text, p_run_seq bigint)
returns void
language sql volatile
as $$
    select pg_temp.unguarded(format(
        'update runstore.run_events set step_id = null where run_id = %L and run_seq = %s', p_run_id, p_run_seq
    ))
$$;

-- Gives a spoilt event its step back.
create function pg_temp.mend(p_run_id text, p_run_seq bigint, p_step_id text)
returns void
language sql volatile
as $$
    select pg_temp.unguarded(format(
        'update runstore.run_events set step_id = %L where run_id = %L and run_seq = %s', p_step_id, p_run_id, p_run_seq
    ))
$$;
