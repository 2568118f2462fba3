-- Takes back 0009.append_events.
drop function runstore.append_events(jsonb);
drop function runstore.append_mixed_events(runstore.incoming_event[], timestamptz);
drop function runstore.append_new_events(runstore.incoming_event[], timestamptz);
drop function runstore.advance_counters(runstore.incoming_event[]);
drop function runstore.lock_runs(runstore.incoming_event[]);
drop function runstore.check_batch(runstore.incoming_event[], timestamptz);
