begin;
\ir ../_helpers/load.sql
select plan(4);

create temporary table call as
select c.form, pg_temp.outcome(c.statement)
from unnest(array['named', 'positional', 'json', 'batch']) as f (form)
cross join lateral pg_temp.calls(
    pg_temp.event(jsonb_build_object('runId', f.form, 'emittedAt', '2026-02-16T09:30:59.999999Z'))
) as c
where c.form = f.form;

select is(
    to_char(e.emitted_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US'),
    '2026-02-16 09:30:59.999999',
    format('%s form', e.run_id)
)
from runstore.run_event_records as e;

select * from finish();
rollback;
