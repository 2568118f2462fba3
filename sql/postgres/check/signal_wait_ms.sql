-- How long one more signal of a run has to wait when p_pending others of its batch go before it: 0 when it fits now,
-- otherwise the milliseconds, from now, until it would. The window is the 60 seconds that end at p_now. Reads at most
-- p_max_signals entries of an index; the caller holds the run's lock.
create function runstore.signal_wait_ms(
    p_run_id text, p_now timestamptz, p_max_signals int, p_pending int default 0
)
returns bigint
language sql volatile
as $$
    select case
        when p_pending >= p_max_signals then 60000
        else coalesce(
            (
                select greatest(
                    1,
                    pg_catalog.ceil(
                        extract(epoch from e.persisted_at + interval '60 seconds' - runstore.clock()) * 1000
                    )
                )
                from runstore.run_events as e
                where
                    e.run_id = p_run_id
                    and e.event_type in ('SignalAccepted', 'SignalRejected')
                    and e.persisted_at > p_now - interval '60 seconds'
                order by e.persisted_at desc
                offset greatest(0, p_max_signals - p_pending - 1)
                limit 1
            ),
            0
        )
    end::bigint;
$$;

comment on function runstore.signal_wait_ms(text, timestamptz, int, int) is
'Milliseconds until one more signal of a run fits under the limit; 0 when it fits now.';

revoke all on function runstore.signal_wait_ms(text, timestamptz, int, int) from public;
