-- Refuses a signal of a run that has had its signals for this minute, and says in how many milliseconds the next one
-- fits. Never returns.
create function runstore.refuse_signal(
    p_run_id text, p_max_signals int, p_retry_after_ms bigint, p_index int default null
)
returns void
language plpgsql stable
as $$
begin
    perform runstore.raise_error(
        'RS006',
        pg_catalog.concat(
            'event ' || p_index::text || ' of the batch: ',
            pg_catalog.format(
                'runId "%s" has had its %s signals for this minute', pg_catalog.left(p_run_id, 100), p_max_signals
            )
        ),
        pg_catalog.format(
            'Send the signal again in %s ms, with the same idempotency key, and at most %s signals of a run in one batch.',
            p_retry_after_ms,
            p_max_signals
        ),
        'runId',
        p_run_id,
        pg_catalog.format('at most %s signals per run in any 60 seconds', p_max_signals),
        p_index,
        p_retry_after_ms
    );
end
$$;

comment on function runstore.refuse_signal(text, int, bigint, int) is
'Raises RS006 for a signal over the run''s limit per minute.';

revoke all on function runstore.refuse_signal(text, int, bigint, int) from public;
