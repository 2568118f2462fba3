begin;
\ir ../_helpers/load.sql
select plan(3);

create temporary table answer as
select a.*
from runstore.append_events((
    select jsonb_agg(pg_temp.event(jsonb_build_object(
        'runId', 'run-' || n % 2, 'eventType', 'Custom', 'logicalAttemptId', n
    )))
    from generate_series(1, 200) as n
)) as a;

select is((select count(*) from answer), 200::bigint, 'answers');
select is((select count(distinct a.persisted_at) from answer as a), 1::bigint, 'share one time');
select is(
    (select count(distinct e.persisted_at) from runstore.run_event_records as e), 1::bigint, 'that is stored'
);

select * from finish();
rollback;
