-- One batch against the same events one by one, known ones and conflicts included.
begin;
\ir ../_helpers/load.sql
select plan(2);

create temporary table event as
select n, pg_temp.event(jsonb_build_object(
    'eventType', (array['StepStarted', 'Custom', 'SignalAccepted', 'RunPaused'])[n % 4 + 1],
    'stepId', case n % 4 when 0 then 'load' end,
    'logicalAttemptId', n % 15 + 1,
    'payload', case when n % 7 = 0 then '{"a": 1}'::jsonb end,
    'eventId', pg_temp.id(n)
)) as event
from generate_series(1, 40) as n;

select pg_temp.stop_clock('2026-03-01 12:00:00+00');
create temporary table one_by_one as
select e.n, a.* from event as e cross join lateral runstore.append_event(e.event || '{"runId": "one by one"}') as a;
create temporary table batch as
select row_number() over () as n, a.*
from runstore.append_events((select jsonb_agg(e.event || '{"runId": "batch"}' order by e.n) from event as e)) as a;

select results_eq(
    'select a.n, a.event_id, a.run_seq, a.persisted_at, a.idempotent, a.persisted from batch as a order by a.n',
    'select a.n::bigint, a.event_id, a.run_seq, a.persisted_at, a.idempotent, a.persisted
    from one_by_one as a order by a.n',
    'the same answers'
);
select is(
    (
        select jsonb_agg(to_jsonb(e) - array['run_id', 'idempotency_key'] order by e.run_seq)
        from runstore.fetch_events('batch') as e
    ),
    (
        select jsonb_agg(to_jsonb(e) - array['run_id', 'idempotency_key'] order by e.run_seq)
        from runstore.fetch_events('one by one') as e
    ),
    'the same log'
);

select * from finish();
rollback;
