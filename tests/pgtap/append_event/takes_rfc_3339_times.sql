begin;
\ir ../_helpers/load.sql
select plan(26);

create temporary table times (nth int generated always as identity, text text, instant timestamptz);
insert into times (text, instant) values
('2026-02-16T09:30:00Z', '2026-02-16 09:30:00+00'),
('2026-02-16T09:30:00.1Z', '2026-02-16 09:30:00.1+00'),
('2026-02-16T09:30:00.12Z', '2026-02-16 09:30:00.12+00'),
('2026-02-16T09:30:00.000001Z', '2026-02-16 09:30:00.000001+00'),
('2026-02-16T09:30:00.123456+02:00', '2026-02-16 07:30:00.123456+00'),
('2026-02-16T09:30:00-05:30', '2026-02-16 15:00:00+00'),
('2026-02-16T09:30:00+23:59', '2026-02-15 09:31:00+00'),
('2026-02-16T09:30:00-23:59', '2026-02-17 09:29:00+00'),
('2026-02-16T09:30:00+00:00', '2026-02-16 09:30:00+00'),
('2026-02-16T09:30:00-00:00', '2026-02-16 09:30:00+00'),
('2024-02-29T23:59:59Z', '2024-02-29 23:59:59+00'),
('2000-02-29T00:00:00Z', '2000-02-29 00:00:00+00'),
('1969-12-31T23:59:59.999999Z', '1969-12-31 23:59:59.999999+00');

create temporary table call as
select t.nth, c.form, pg_temp.outcome(c.statement)
from times as t
cross join unnest(array['json', 'batch']) as f (form)
cross join lateral pg_temp.calls(
    pg_temp.event(jsonb_build_object('runId', f.form || t.nth, 'emittedAt', t.text))
) as c
where c.form = f.form;

select is(
    (select e.emitted_at from runstore.fetch_events(f.form || t.nth) as e),
    t.instant,
    format('%s, %s form', t.text, f.form)
)
from times as t
cross join unnest(array['json', 'batch']) as f (form);

select * from finish();
rollback;
