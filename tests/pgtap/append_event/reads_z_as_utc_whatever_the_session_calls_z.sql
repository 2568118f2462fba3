begin;
\ir ../_helpers/load.sql
select plan(2);

set local timezone = '<Z>5';

select pg_temp.append('{"runId": "utc", "emittedAt": "2026-01-01T00:00:00Z"}');
select pg_temp.append('{"runId": "offset", "emittedAt": "2026-01-01T01:00:00+01:00"}');

select is(e.emitted_at, '2026-01-01 00:00:00+00'::timestamptz, e.run_id)
from runstore.run_event_records as e
order by e.run_id;

select * from finish();
rollback;
