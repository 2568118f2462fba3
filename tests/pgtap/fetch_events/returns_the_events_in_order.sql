begin;
\ir ../_helpers/load.sql
select plan(1);

select pg_temp.append(jsonb_build_object(
    'eventType', 'Custom', 'logicalAttemptId', 51 - n,
    'emittedAt', to_char(timestamp '2026-01-01' - n * interval '1 hour', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
))
from generate_series(1, 50) as n;

select results_eq(
    $$ select e.run_seq, e.logical_attempt_id from runstore.fetch_events('run-1') as e $$,
    $$ select n::bigint, 51 - n from generate_series(1, 50) as n $$
);

select * from finish();
rollback;
