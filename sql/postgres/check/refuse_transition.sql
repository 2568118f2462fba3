-- Refuses an event that the transitions do not allow at the state of its run or step. Never returns. Reads
-- transitions.
create function runstore.refuse_transition(p_event_type text, p_machine text, p_status text, p_index int default null)
returns void
language plpgsql stable
as $$
begin
    perform runstore.raise_error(
        'RS004',
        pg_catalog.concat(
            'event ' || p_index::text || ' of the batch: ',
            pg_catalog.format(
                'eventType "%s" is refused: the %s stands at %s', p_event_type, pg_catalog.lower(p_machine), p_status
            )
        ),
        'Look at the snapshot: the event came too late, twice or out of order.',
        'eventType',
        p_event_type,
        (
            select pg_catalog.format(
                'a %s at %s', pg_catalog.lower(p_machine),
                pg_catalog.string_agg(t.from_status, ', ' order by t.from_status)
            )
            from runstore.transitions as t
            where t.machine = p_machine and t.event_type = p_event_type
        ),
        p_index
    );
end
$$;

comment on function runstore.refuse_transition(text, text, text, int) is
'Raises RS004 for an event that the transitions do not allow.';

revoke all on function runstore.refuse_transition(text, text, text, int) from public;
