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
