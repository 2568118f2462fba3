begin;
\ir ../_helpers/load.sql
select plan(5);

select pg_temp.append_types('run-1', 'RunStarted', 'RunPaused', 'RunResumed', 'RunCompleted');
select pg_temp.lose('run-1', 3, 4);
select pg_temp.append_types('run-2', 'RunStarted');
select pg_temp.lose('run-2', 1);
select is(runstore.project_pending(), 0::bigint, 'neither is up to date');

select is(
    jsonb_build_array(s.j -> 'lastEventSeq', s.j -> 'status', s.j -> 'stale'), v.expected, v.run_id
)
from (values ('run-1', '[2, "PAUSED", true]'::jsonb), ('run-2', '[0, "PENDING", true]')) as v (run_id, expected)
cross join lateral runstore.get_snapshot(v.run_id) as s (j);
select results_eq(
    'select a.run_id::text collate "default", a.run_seq, a.details from runstore.alerts as a order by 1',
    $$ values ('run-1'::text, 3::bigint, '{"lastSeq": 2}'::jsonb), ('run-2', 1, '{"lastSeq": 0}') $$,
    'no next event is known'
);

select pg_temp.bring_back('run-1', 3, 4);
select is(runstore.project_snapshot('run-1') -> 'status', '"COMPLETED"'::jsonb, 'it ends when they are back');

select * from finish();
rollback;
