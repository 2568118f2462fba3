-- A time as snapshots show it: RFC 3339, UTC, six fraction digits. Inlined.
create function runstore.utc_text(p_time timestamptz)
returns text
language sql stable parallel safe
return pg_catalog.to_char(p_time at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"');

comment on function runstore.utc_text(timestamptz) is
'A time as RFC 3339 text in UTC with six fraction digits.';

revoke all on function runstore.utc_text(timestamptz) from public;
