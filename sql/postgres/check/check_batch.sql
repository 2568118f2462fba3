-- Refuses a batch for its lowest element that the log or the login does not allow: foreign tenant (RS013), another
-- identity (RS002), an event id that is taken (RS003), a signal too many (RS006), in this order within one element.
-- An element whose key is known, from the log or from earlier in the batch, is only held to the first two. The caller
-- holds the runs' locks. One statement; two index probes per element, and for signals those of signal_wait_ms().
create function runstore.check_batch(p_events runstore.incoming_event[], p_now timestamptz)
returns void
language plpgsql volatile
as $$
declare
    v_max_signals constant int := (select c.max_signals_per_minute from runstore.config as c);
    v_offence record;
begin
    with judged as (
        select
            e.index,
            e.run_id,
            e.tenant_id,
            e.event_id,
            e.is_signal,
            e.tenant_id <> all(s.tenants) as tenant_is_foreign,
            (r.tenant_id, r.project_id, r.environment_id) <> (e.tenant_id, e.project_id, e.environment_id)
                as identity_differs,
            greatest(p_now, r.last_persisted_at) as persisted_at,
            pg_catalog.row_number() over (partition by e.run_id, e.idempotency_key order by e.index) = 1
            and (
                select k.run_seq from runstore.run_events as k
                where k.run_id = e.run_id and k.idempotency_key = e.idempotency_key
            ) is null as is_new
        from pg_catalog.unnest(p_events) as e
        left join runstore.run_counters as r on e.run_id = r.run_id
        cross join runstore.session_tenants as s
    ),

    new_only as (
        select
            j.index,
            pg_catalog.row_number() over (partition by j.run_id, j.event_id order by j.index) > 1
            or (
                select i.run_seq from runstore.run_events as i
                where i.run_id = j.run_id and i.event_id = j.event_id
            ) is not null as event_id_is_taken,
            case
                when j.is_signal
                    then runstore.signal_wait_ms(
                        j.run_id,
                        j.persisted_at,
                        v_max_signals,
                        (pg_catalog.count(*) over (partition by j.run_id, j.is_signal order by j.index))::int - 1
                    )
            end as signal_wait_ms
        from judged as j
        where j.is_new
    )

    select
        j.index, j.run_id, j.tenant_id, j.event_id, j.tenant_is_foreign, j.identity_differs, n.event_id_is_taken,
        n.signal_wait_ms
    into v_offence
    from judged as j
    left join new_only as n on j.index = n.index
    where j.tenant_is_foreign or j.identity_differs or n.event_id_is_taken or n.signal_wait_ms > 0
    order by j.index
    limit 1;

    if not found then
        return;
    end if;

    if v_offence.tenant_is_foreign then
        perform runstore.refuse_foreign_tenant(v_offence.tenant_id, v_offence.index);
    elsif v_offence.identity_differs then
        perform runstore.refuse_identity(v_offence.run_id, v_offence.index);
    elsif v_offence.event_id_is_taken then
        perform runstore.refuse_event_id(v_offence.event_id, v_offence.index);
    else
        perform runstore.refuse_signal(
            v_offence.run_id, v_max_signals, v_offence.signal_wait_ms, v_offence.index
        );
    end if;
end
$$;

comment on function runstore.check_batch(runstore.incoming_event[], timestamptz) is
'Raises RS013, RS002, RS003 or RS006 for the lowest element that offends.';

revoke all on function runstore.check_batch(runstore.incoming_event[], timestamptz) from public;
