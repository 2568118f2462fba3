-- Whether events are missing between two sequence numbers that follow each other in what a reader has received. Null
-- when either is null. Reads nothing.
create function runstore.detect_gap(p_last_seq bigint, p_next_seq bigint)
returns boolean
language sql immutable parallel safe
return p_next_seq::numeric - p_last_seq > 1;

comment on function runstore.detect_gap(bigint, bigint) is
'Whether events are missing between two sequence numbers that follow each other.';

revoke all on function runstore.detect_gap(bigint, bigint) from public;
grant execute on function runstore.detect_gap(bigint, bigint)
to runstore_reader, runstore_writer, runstore_worker, runstore_admin;
