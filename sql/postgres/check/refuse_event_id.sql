-- Refuses an event whose id another event of its run, or of its batch, already has (RS003). For an event alone that
-- was not stored although neither its key nor its id is taken, the store is damaged: its counter is behind its log
-- (XX001). Never returns. Reads one index entry.
create function runstore.refuse_event_id(p_run_id text, p_event_id uuid, p_index int default null)
returns void
language plpgsql stable
as $$
begin
    if p_index is null and not exists (
        select from runstore.run_events as e
        where e.run_id = p_run_id and e.event_id = p_event_id
    ) then
        perform runstore.raise_error(
            'XX001',
            pg_catalog.format('the counter of run "%s" is behind its log', p_run_id),
            'Stop writing to this run, and set its row in run_counters to the last event of its log.'
        );
    end if;

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

comment on function runstore.refuse_event_id(text, uuid, int) is
'Raises RS003 for an event id that another event of the run already has.';

revoke all on function runstore.refuse_event_id(text, uuid, int) from public;
