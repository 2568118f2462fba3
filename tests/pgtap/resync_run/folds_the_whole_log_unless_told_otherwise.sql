begin;
\ir ../_helpers/load.sql
select plan(2);

select pg_temp.append_types('absent', 'RunStarted');
select pg_temp.append_types('null', 'RunStarted');
select runstore.project_pending();
update runstore.run_states set engine_run_ref = '{"mark": 1}';

select is(runstore.resync_run('absent') -> 'engineRunRef', null, 'absent');
select is(runstore.resync_run('null', null) -> 'engineRunRef', null, 'null');

select * from finish();
rollback;
