begin;
\ir ../_helpers/load.sql
select plan(2);

create temporary table batch as
select jsonb_agg(
    pg_temp.event(jsonb_build_object('runId', 'run-' || n % 50, 'eventType', 'Custom', 'logicalAttemptId', n + 1))
    order by n
) as events
from generate_series(0, 1999) as n;

create temporary table first_answer as
select a.*, row_number() over () as place from batch as b cross join lateral runstore.append_events(b.events) as a;
create temporary table second_answer as
select a.*, row_number() over () as place from batch as b cross join lateral runstore.append_events(b.events) as a;

select is(
    (select count(*) from second_answer as a where a.idempotent and not a.persisted), 2000::bigint, 'all are known'
);
select results_eq(
    $$ select a.place, a.event_id, a.run_seq, a.persisted_at from second_answer as a order by a.place $$,
    $$ select a.place, a.event_id, a.run_seq, a.persisted_at from first_answer as a order by a.place $$,
    'and answered as before'
);

select * from finish();
rollback;
