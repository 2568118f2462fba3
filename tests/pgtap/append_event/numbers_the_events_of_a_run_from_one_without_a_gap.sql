begin;
\ir ../_helpers/load.sql
select plan(2);

create temporary table appended as
select n, (pg_temp.append(jsonb_build_object(
    'runId', 'run-' || n % 3, 'logicalAttemptId', n + 1, 'eventType', 'RunPaused'
))).run_seq
from generate_series(0, 29) as n;

select is_empty(
    $$ select * from appended as a where a.run_seq <> a.n / 3 + 1 $$,
    'every answer'
);
select results_eq(
    $$
    select e.run_id collate "default", array_agg(e.run_seq order by e.run_seq)
    from runstore.run_event_records as e
    group by e.run_id
    order by e.run_id
    $$,
    $$ select 'run-' || r, array[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]::bigint[] from generate_series(0, 2) as r $$,
    'and what is stored'
);

select * from finish();
rollback;
