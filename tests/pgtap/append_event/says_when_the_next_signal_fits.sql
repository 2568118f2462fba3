begin;
\ir ../_helpers/load.sql
select plan(28);

create temporary table clock_reading (reading timestamptz, retry_after_ms bigint);
insert into clock_reading values
('2026-03-01 12:00:00+00', 60000),
('2026-03-01 12:00:00.000001+00', 60000),
('2026-03-01 12:00:00.001+00', 59999),
('2026-03-01 12:00:59+00', 1000),
('2026-03-01 12:00:59.999+00', 1),
('2026-03-01 12:00:59.999999+00', 1),
('2026-03-01 12:01:00+00', null);

select pg_temp.stop_clock('2026-03-01 12:00:00+00');
select pg_temp.append(jsonb_build_object('runId', f.form, 'eventType', 'SignalAccepted', 'logicalAttemptId', n))
from unnest(array['named', 'positional', 'json', 'batch']) as f (form)
cross join generate_series(1, 60) as n;

create temporary table result (form text, reading timestamptz, detail jsonb);

do $$
declare
    v_reading timestamptz;
begin
    for v_reading in select r.reading from clock_reading as r order by r.reading loop
        perform pg_temp.stop_clock(v_reading);
        insert into result
        select c.form, v_reading, pg_temp.detail(c.statement)
        from unnest(array['named', 'positional', 'json', 'batch']) as f (form)
        cross join lateral pg_temp.calls(pg_temp.event(
            jsonb_build_object('runId', f.form, 'eventType', 'SignalAccepted', 'logicalAttemptId', 61)
        )) as c
        where c.form = f.form;
    end loop;
end
$$;

select is(
    (r.detail ->> 'retryAfterMs')::bigint, e.retry_after_ms, format('at %s, %s form', r.reading, r.form)
)
from result as r
inner join clock_reading as e on r.reading = e.reading;

select * from finish();
rollback;
