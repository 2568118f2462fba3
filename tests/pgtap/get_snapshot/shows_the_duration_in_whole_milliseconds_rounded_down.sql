begin;
\ir ../_helpers/load.sql
select plan(8);

create temporary table duration (nth int, started_at text, completed_at text, ms bigint);
insert into duration values
(1, '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z', 0),
(2, '2026-01-01T00:00:00Z', '2026-01-01T00:00:00.000999Z', 0),
(3, '2026-01-01T00:00:00Z', '2026-01-01T00:00:00.001Z', 1),
(4, '2026-01-01T00:00:00.000001Z', '2026-01-01T00:00:01Z', 999),
(5, '2026-01-01T00:00:01Z', '2026-01-01T00:00:00Z', 0),
(6, '2026-01-01T00:00:00.000001Z', '2026-01-01T00:00:00Z', 0),
(7, '2026-03-28T12:00:00Z', '2026-03-30T12:00:00Z', 172800000),
(8, '0001-01-01T00:00:00Z', '9999-12-31T23:59:59.999999Z', 315537897599999);

select pg_temp.append(jsonb_build_object('runId', d.nth::text, 'emittedAt', d.started_at)) from duration as d;
select pg_temp.append(jsonb_build_object(
    'runId', d.nth::text, 'eventType', 'RunCancelled', 'emittedAt', d.completed_at
))
from duration as d;
-- A zone whose days are not all 24 hours long.
set local timezone = 'Europe/Berlin';

select is(
    runstore.project_snapshot(d.nth::text) -> 'totalDurationMs',
    to_jsonb(d.ms),
    format('%s to %s', d.started_at, d.completed_at)
)
from duration as d;

select * from finish();
rollback;
