-- What a run and a login allow: tenant, identity, event id, signal rate.
-- depends: 0005.event_checks

-- Refuses an event whose tenant the session's login is not bound to. Never returns. Reads and locks nothing else.
create function runstore.refuse_foreign_tenant(p_tenant_id text, p_index int default null)
returns void
language plpgsql stable
as $$
begin
    perform runstore.raise_error(
        'RS013',
        pg_catalog.concat(
            'event ' || p_index::text || ' of the batch: ',
            pg_catalog.format('tenantId "%s" is closed to login %s', pg_catalog.left(p_tenant_id, 100), session_user)
        ),
        'Use a login for this tenant, or have an administrator bind this one with bind_login().',
        'tenantId',
        p_tenant_id,
        'a tenant that the login is bound to',
        p_index
    );
end
$$;

comment on function runstore.refuse_foreign_tenant(text, int) is
'Raises RS013 for a tenant that the session''s login is not bound to.';

revoke all on function runstore.refuse_foreign_tenant(text, int) from public;

-- Refuses a tenant that the session's login is not bound to (RS013). An unbound login may name any. Reads
-- tenant_bindings.
create function runstore.check_tenant(p_tenant_id text)
returns void
language plpgsql stable
as $$
begin
    if runstore.tenant_is_foreign(p_tenant_id) then
        perform runstore.refuse_foreign_tenant(p_tenant_id);
    end if;
end
$$;

comment on function runstore.check_tenant(text) is
'Raises RS013 for a tenant that the session''s login is not bound to.';

revoke all on function runstore.check_tenant(text) from public;

-- Refuses an event whose tenant, project or environment is not its run's, without showing what is stored. Never
-- returns.
create function runstore.refuse_identity(p_run_id text, p_index int default null)
returns void
language plpgsql stable
as $$
begin
    perform runstore.raise_error(
        'RS002',
        pg_catalog.concat(
            'event ' || p_index::text || ' of the batch: ',
            pg_catalog.format(
                'runId "%s" exists under another tenant, project or environment', pg_catalog.left(p_run_id, 100)
            )
        ),
        'Send the tenant, project and environment of the run''s first event, or choose another run id.',
        'runId',
        p_run_id,
        'the tenant, project and environment of the run''s first event',
        p_index
    );
end
$$;

comment on function runstore.refuse_identity(text, int) is
'Raises RS002 for a run that exists under another tenant, project or environment.';

revoke all on function runstore.refuse_identity(text, int) from public;

-- Refuses an event whose id another event of its run, or of its batch, already has. Never returns.
create function runstore.refuse_event_id(p_event_id uuid, p_index int default null)
returns void
language plpgsql stable
as $$
begin
    perform runstore.raise_error(
        'RS003',
        pg_catalog.concat(
            'event ' || p_index::text || ' of the batch: ',
            pg_catalog.format('eventId "%s" is another event of this run', p_event_id)
        ),
        'Give each event an id of its own; a retry sends the idempotency key of the first try.',
        'eventId',
        p_event_id::text,
        'an id that no other event of the run has',
        p_index
    );
end
$$;

comment on function runstore.refuse_event_id(uuid, int) is
'Raises RS003 for an event id that another event of the run already has.';

revoke all on function runstore.refuse_event_id(uuid, int) from public;

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

-- Refuses a signal that is one too many for its run in this minute (RS006). The caller holds the run's lock, so
-- nothing can slip in between. Reads config and at most as many index entries as signals are allowed.
create function runstore.check_signal_rate(p_run_id text, p_now timestamptz)
returns void
language plpgsql volatile
as $$
declare
    v_max_signals constant int := (select c.max_signals_per_minute from runstore.config as c);
    v_wait_ms constant bigint := runstore.signal_wait_ms(p_run_id, p_now, v_max_signals);
begin
    if v_wait_ms > 0 then
        perform runstore.refuse_signal(p_run_id, v_max_signals, v_wait_ms);
    end if;
end
$$;

comment on function runstore.check_signal_rate(text, timestamptz) is
'Raises RS006 for a signal over the run''s limit per minute.';

revoke all on function runstore.check_signal_rate(text, timestamptz) from public;
