-- Takes back 0010.read.
drop function runstore.fetch_events(text, bigint, int);
drop view runstore.run_event_records;
drop type runstore.event_record;
