begin;
\ir ../_helpers/load.sql
select plan(1);

create temporary table event as
select n, pg_temp.event(jsonb_build_object(
    'eventType', 'Custom', 'idempotencyKey', pg_temp.key(n % 5), 'payload', jsonb_build_object('n', n % 3)
)) as event
from generate_series(1, 20) as n;

create temporary table answers as
select a.*
from (
    select e.event || '{"runId": "one by one"}' as event from event as e order by e.n
) as e
cross join lateral runstore.append_event(e.event) as a;
select runstore.append_events((select jsonb_agg(e.event || '{"runId": "batch"}' order by e.n) from event as e));

select results_eq(
    $$ select a.run_seq, a.count from runstore.alerts as a where a.run_id = 'batch' order by a.run_seq $$,
    $$ select a.run_seq, a.count from runstore.alerts as a where a.run_id = 'one by one' order by a.run_seq $$
);

select * from finish();
rollback;
