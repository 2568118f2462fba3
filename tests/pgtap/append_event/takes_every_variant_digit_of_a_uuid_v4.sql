begin;
\ir ../_helpers/load.sql
select plan(4);

select is(
    (pg_temp.append(jsonb_build_object('runId', 'run-' || d.digit, 'eventId', u.id))).event_id,
    u.id,
    u.id::text
)
from unnest(array['8', '9', 'a', 'b']) as d (digit)
cross join lateral (values (('0d3c6a9e-4f0c-4a8e-' || d.digit || 'd5d-3d4c0f7dbb8a')::uuid)) as u (id);

select * from finish();
rollback;
