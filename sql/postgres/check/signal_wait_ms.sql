-- How long one more signal of a run has to wait when p_pending others of its batch go before it: 0 when it fits now,
-- otherwise the milliseconds, from now, until it would. The window is the 60 seconds that end at p_now. Reads at most
-- p_max_signals entries of an index; the caller holds the run's lock.
create function runstore.signal_wait_ms(
    p_run_id text, p_now timestamptz, p_max_signals int, p_pending int default 0
)
returns bigint
language plpgsql volatile
as $$
declare
    v_filling_at timestamptz;
begin
    if p_pending >= p_max_signals then
        return 60000::bigint;
    end if;

    select e.persisted_at into v_filling_at
    from runstore.run_events as e
    where
        e.run_id = p_run_id
        and e.event_type in ('SignalAccepted', 'SignalRejected')
        and e.persisted_at > p_now - interval '60 seconds'
    order by e.persisted_at desc
    offset p_max_signals - p_pending - 1
    limit 1;

    if not found then
        return 0::bigint;
    end if;

    return greatest(
        1, pg_catalog.ceil(extract(epoch from v_filling_at + interval '60 seconds' - runstore.clock()) * 1000)
    )::bigint;
end
$$;

comment on function runstore.signal_wait_ms(text, timestamptz, int, int) is
'Milliseconds until one more signal of a run fits under the limit; 0 when it fits now.';

revoke all on function runstore.signal_wait_ms(text, timestamptz, int, int) from public;
