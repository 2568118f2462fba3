-- The one source of time. It reads no setting, because a setting would let any login forge time; a test that needs
-- another time replaces this function. Inlined by the planner, so it costs what clock_timestamp() costs.
create function runstore.clock()
returns timestamptz
language sql volatile parallel safe
return pg_catalog.clock_timestamp();

comment on function runstore.clock() is
'The store''s only source of time: the wall clock.';

revoke all on function runstore.clock() from public;
