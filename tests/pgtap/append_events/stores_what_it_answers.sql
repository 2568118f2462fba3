-- With the clock behind the run, for a batch of new events and for one that has known ones too.
begin;
\ir ../_helpers/load.sql
select plan(4);

select pg_temp.stop_clock('2026-03-01 12:00:00+00');
select pg_temp.append();
select pg_temp.stop_clock('2026-03-01 11:00:00+00');

create temporary table answer as
select a.*
from runstore.append_events(jsonb_build_array(
    pg_temp.event('{"eventType": "RunPaused"}'), pg_temp.event('{"runId": "run-2"}'),
    pg_temp.event('{"eventType": "RunResumed"}')
)) as a
union all
select a.*
from runstore.append_events(jsonb_build_array(
    pg_temp.event('{"eventType": "RunCompleted"}'), pg_temp.event('{"eventType": "RunResumed"}'),
    pg_temp.event('{"runId": "run-2", "eventType": "RunPaused"}')
)) as a;

select set_eq(
    'select a.event_id, a.run_seq, a.persisted_at from answer as a',
    $$
    select e.event_id, e.run_seq, e.persisted_at
    from runstore.run_event_records as e
    where e.run_id = 'run-2' or e.run_seq > 1
    $$,
    'ids, numbers and times'
);
select is(
    (select array_agg(e.persisted_at order by e.run_seq) from runstore.fetch_events('run-1') as e),
    array_fill('2026-03-01 12:00:00+00'::timestamptz, array[4]),
    'the run that is ahead of the clock'
);
select is(
    (select array_agg(e.persisted_at order by e.run_seq) from runstore.fetch_events('run-2') as e),
    array_fill('2026-03-01 11:00:00+00'::timestamptz, array[2]),
    'the run that is not'
);
select results_eq(
    $$
    select r.run_id collate "default", r.last_seq, r.last_persisted_at
    from runstore.run_counters as r
    order by r.run_id
    $$,
    $$ values
    ('run-1'::text, 4::bigint, '2026-03-01 12:00:00+00'::timestamptz), ('run-2', 2, '2026-03-01 11:00:00+00')
    $$,
    'the counters stand at the last event'
);

select * from finish();
rollback;
