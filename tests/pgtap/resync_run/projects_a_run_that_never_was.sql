begin;
\ir ../_helpers/load.sql
select plan(2);

select pg_temp.append_types('full', 'RunStarted', 'StepStarted');
select pg_temp.append_types('from snapshot', 'RunStarted', 'StepStarted');

select is(runstore.resync_run('full', 'FULL') -> 'lastEventSeq', '2'::jsonb, 'FULL');
select is(runstore.resync_run('from snapshot', 'FROM_SNAPSHOT') -> 'lastEventSeq', '2'::jsonb, 'FROM_SNAPSHOT');

select * from finish();
rollback;
