begin;
\ir ../_helpers/load.sql
select plan(4);

create temporary table answer as
select a.*, row_number() over () - 1 as place
from runstore.append_events((
    select jsonb_agg(
        pg_temp.event(jsonb_build_object(
            'runId', 'run-' || n % 50, 'eventType', 'Custom', 'logicalAttemptId', n + 1, 'eventId', pg_temp.id(n)
        ))
        order by n
    )
    from generate_series(0, 1999) as n
)) as a;

select is((select count(*) from answer as a where a.persisted), 2000::bigint, 'all are answered');
select is_empty(
    $$ select * from answer as a where a.event_id <> pg_temp.id(a.place::int) or a.run_seq <> a.place / 50 + 1 $$,
    'in order and with their numbers'
);
select is_empty(
    $$
    select e.run_id
    from runstore.run_event_records as e
    group by e.run_id
    having array_agg(e.run_seq order by e.run_seq) <> array(select n::bigint from generate_series(1, 40) as n)
    or not bool_and(e.event_id = pg_temp.id(e.logical_attempt_id - 1))
    $$,
    'and so it is stored'
);
select is((select count(*) from runstore.run_counters as r where r.last_seq = 40), 50::bigint, 'with the counters');

select * from finish();
rollback;
