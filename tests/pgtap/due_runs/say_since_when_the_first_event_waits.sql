begin;
\ir ../_helpers/load.sql
select plan(8);

select pg_temp.stop_clock('2026-03-01 12:00:00+00');
create temporary table appended as
select pg_temp.outcome(replace(c.statement, 'run-1', c.form)) from pg_temp.calls(pg_temp.event()) as c;
select pg_temp.stop_clock('2026-03-01 12:00:07+00');
insert into appended
select pg_temp.outcome(replace(c.statement, 'run-1', c.form))
from pg_temp.calls(pg_temp.event('{"eventType": "RunPaused"}')) as c;

select is(
    to_jsonb(d) - 'run_id',
    jsonb_build_object(
        'consumer', 'projector', 'due_since', '2026-03-01 12:00:00+00'::timestamptz, 'retry_at', null, 'attempts', 0,
        'wants_resync', false
    ),
    format('%s form', d.run_id)
)
from runstore.due_runs as d;
select is(r.due_from_seq, 1::bigint, format('%s form, the mark', r.run_id)) from runstore.run_counters as r;

select * from finish();
rollback;
