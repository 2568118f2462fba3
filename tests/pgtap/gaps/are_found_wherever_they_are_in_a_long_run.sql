-- Near the front, in the middle and near the end.
begin;
\ir ../_helpers/load.sql
select plan(10);

create temporary table gap (run_id text, missing bigint);
insert into gap values ('a', 1), ('b', 999), ('c', 1000), ('d', 1001), ('e', 1002);

select runstore.append_events((
    select jsonb_agg(pg_temp.event(
        jsonb_build_object('runId', g.run_id, 'eventType', 'Custom', 'logicalAttemptId', n)
    ) order by n)
    from generate_series(1, 1100) as n
))
from gap as g;
select pg_temp.lose(g.run_id, g.missing) from gap as g;
select runstore.project_pending();
select runstore.project_pending();

select is(
    jsonb_build_array(s.j -> 'lastEventSeq', s.j -> 'stale'),
    jsonb_build_array(g.missing - 1, true),
    format('halts before %s', g.missing)
)
from gap as g
cross join lateral runstore.get_snapshot(g.run_id) as s (j);
select is(a.run_seq, g.missing, format('alert for %s', g.missing))
from gap as g
left join runstore.alerts as a on g.run_id = a.run_id;

select * from finish();
rollback;
