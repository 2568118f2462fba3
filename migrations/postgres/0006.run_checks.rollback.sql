-- Takes back 0006.run_checks.
drop function runstore.check_signal_rate(text, timestamptz);
drop function runstore.signal_wait_ms(text, timestamptz, int, int);
drop function runstore.refuse_signal(text, int, bigint, int);
drop function runstore.refuse_event_id(uuid, int);
drop function runstore.refuse_identity(text, int);
drop function runstore.check_tenant(text);
drop function runstore.refuse_foreign_tenant(text, int);
