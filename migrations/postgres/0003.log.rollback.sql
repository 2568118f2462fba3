-- Takes back 0003.log.
drop trigger run_events_guard on runstore.run_events;
drop function runstore.refuse_log_change();
drop table runstore.run_events;
drop table runstore.run_counters;
