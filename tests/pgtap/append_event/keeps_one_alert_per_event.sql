begin;
\ir ../_helpers/load.sql
select plan(1);

select pg_temp.append(jsonb_build_object('idempotencyKey', pg_temp.key(n))) from generate_series(1, 2) as n;
select pg_temp.append(jsonb_build_object('idempotencyKey', pg_temp.key(n), 'eventType', 'RunFailed'))
from generate_series(1, 2) as n;

select results_eq(
    $$ select a.run_seq, a.count from runstore.alerts as a order by a.run_seq $$,
    $$ values (1::bigint, 1::bigint), (2, 1) $$
);

select * from finish();
rollback;
