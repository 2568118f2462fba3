begin;
\ir ../_helpers/load.sql
select plan(4);

select pg_temp.append_types('run-1', 'RunStarted');
select is(runstore.project_snapshot('run-1') -> 'consistency', '"CONSISTENT"'::jsonb, 'before');

select pg_temp.append_types('run-1', 'RunResumed');
select is(
    jsonb_build_array(s.j -> 'consistency', s.j -> 'status', s.j -> 'lastEventSeq'),
    '["INCONSISTENT", "RUNNING", 2]'::jsonb,
    'the event changes nothing else, but moves the watermark'
)
from runstore.project_snapshot('run-1') as s (j);

select pg_temp.append_types('run-1', 'RunPaused', 'RunResumed');
select is(
    jsonb_build_array(s.j -> 'consistency', s.j -> 'status'), '["INCONSISTENT", "RUNNING"]'::jsonb, 'good ones follow'
)
from runstore.project_snapshot('run-1') as s (j);
select is(runstore.resync_run('run-1') -> 'consistency', '"INCONSISTENT"'::jsonb, 'a fold of it all says the same');

select * from finish();
rollback;
