begin;
\ir ../_helpers/load.sql
select plan(3);

select pg_temp.append_types('run-1', 'RunStarted', 'RunPaused', 'RunResumed', 'RunPaused', 'RunResumed');
select pg_temp.lose('run-1', 2);
select pg_temp.lose('run-1', 4);
select runstore.project_snapshot('run-1');
select pg_temp.bring_back('run-1', 2);
select runstore.project_snapshot('run-1');

select is(
    jsonb_build_array(s.j -> 'lastEventSeq', s.j -> 'stale'), '[3, true]'::jsonb, 'the run goes on to the next gap'
)
from runstore.get_snapshot('run-1') as s (j);
select results_eq(
    'select a.run_seq from runstore.alerts as a where a.resolved_at is null',
    'values (4::bigint)',
    'the open alert names the event that is missing now'
);
select pg_temp.bring_back('run-1', 4);
select runstore.project_snapshot('run-1');
select is(
    (select count(*) from runstore.alerts as a where a.resolved_at is null), 0::bigint, 'all are closed at the end'
);

select * from finish();
rollback;
