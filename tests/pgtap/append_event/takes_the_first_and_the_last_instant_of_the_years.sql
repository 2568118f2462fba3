begin;
\ir ../_helpers/load.sql
select plan(12);

create temporary table times (nth int generated always as identity, form text, text text, instant timestamptz);
insert into times (form, text, instant) values
('named', '0001-01-01 00:00:00+00', '0001-01-01 00:00:00+00'),
('named', '0001-01-01 14:00:00+14', '0001-01-01 00:00:00+00'),
('named', '9999-12-31 23:59:59.999999+00', '9999-12-31 23:59:59.999999+00'),
('named', '9999-12-31 13:59:59.999999-10', '9999-12-31 23:59:59.999999+00'),
('json', '0001-01-01T00:00:00Z', '0001-01-01 00:00:00+00'),
('json', '0001-01-01T23:59:00+23:59', '0001-01-01 00:00:00+00'),
('json', '9999-12-31T23:59:59.999999Z', '9999-12-31 23:59:59.999999+00'),
('json', '9999-12-31T00:00:59.999999-23:59', '9999-12-31 23:59:59.999999+00'),
('batch', '0001-01-01T00:00:00Z', '0001-01-01 00:00:00+00'),
('batch', '0001-01-01T23:59:00+23:59', '0001-01-01 00:00:00+00'),
('batch', '9999-12-31T23:59:59.999999Z', '9999-12-31 23:59:59.999999+00'),
('batch', '9999-12-31T00:00:59.999999-23:59', '9999-12-31 23:59:59.999999+00');

create temporary table call as
select t.nth, pg_temp.outcome(c.statement)
from times as t
cross join lateral pg_temp.calls(
    pg_temp.event(jsonb_build_object('runId', t.nth::text, 'emittedAt', t.text))
) as c
where c.form = t.form;

select is(
    (select e.emitted_at from runstore.fetch_events(t.nth::text) as e),
    t.instant,
    format('%s, %s form', t.text, t.form)
)
from times as t;

select * from finish();
rollback;
