begin;
\ir ../_helpers/load.sql
select plan(2);

select pg_temp.append(jsonb_build_object('eventType', 'Custom', 'logicalAttemptId', n)) from generate_series(1, 3) as n;
create temporary table before as select pg_temp.contents() as contents;

create temporary table answer as
select a.*
from generate_series(1, 3) as n
cross join lateral runstore.append_events(jsonb_build_array(
    pg_temp.event(jsonb_build_object('eventType', 'Custom', 'logicalAttemptId', n)),
    pg_temp.event(jsonb_build_object('eventType', 'Custom', 'logicalAttemptId', 4 - n))
)) as a;

select is((select count(*) from answer as a where a.idempotent and not a.persisted), 6::bigint, 'all are answered');
select is(pg_temp.contents(), (select b.contents from before as b), 'log, counters and alerts are as they were');

select * from finish();
rollback;
