-- The version of the installed schema, equal to the version of the package that carries it. Reads nothing, locks
-- nothing.
create function runstore.version()
returns text
language sql immutable parallel safe
return '0.1.0';

comment on function runstore.version() is
'Version of the installed schema.';

revoke all on function runstore.version() from public;
grant execute on function runstore.version()
to runstore_reader, runstore_writer, runstore_worker, runstore_admin;
