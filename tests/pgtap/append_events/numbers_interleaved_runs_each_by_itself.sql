begin;
\ir ../_helpers/load.sql
select plan(2);

create temporary table answer as
select a.run_seq, a.event_id, row_number() over () as place
from runstore.append_events((
    select jsonb_agg(
        pg_temp.event(jsonb_build_object(
            'runId', 'run-' || n % 3, 'eventType', 'Custom', 'logicalAttemptId', n + 1, 'eventId', pg_temp.id(n)
        ))
        order by n
    )
    from generate_series(0, 11) as n
)) as a;

select is_empty(
    $$
    select *
    from answer as a
    where a.run_seq <> (a.place - 1) / 3 + 1 or a.event_id <> pg_temp.id(a.place::int - 1)
    $$,
    'the answers'
);
select is_empty(
    $$
    select *
    from runstore.run_event_records as e
    where e.run_id <> 'run-' || (e.logical_attempt_id - 1) % 3 or e.run_seq <> (e.logical_attempt_id - 1) / 3 + 1
    $$,
    'what is stored'
);

select * from finish();
rollback;
