-- Walks a machine through events: the state, one letter, is replaced event by event with what from_codes and to_codes
-- of event_effects make of it. Upper case says that the last event was applied, lower case that it was refused. As a
-- window aggregate it gives the state after every event in one pass. Begins at PENDING.
create aggregate runstore.walk(p_from_codes text, p_to_codes text) ( -- noqa: LT01
    sfunc = pg_catalog.translate,
    stype = text,
    initcond = 'P',
    parallel = safe
);

comment on aggregate runstore.walk(text, text) is -- noqa: LT01
'The state of a machine after the events so far, as a letter of statuses.';

revoke all on function runstore.walk(text, text) from public;
