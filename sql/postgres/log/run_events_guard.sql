create trigger run_events_guard
before update or delete or truncate on runstore.run_events
for each statement execute function runstore.refuse_log_change();

comment on trigger run_events_guard on runstore.run_events is
'Keeps the log append-only for everyone, the owner and replication sessions included.';

alter table runstore.run_events enable always trigger run_events_guard;
