begin;
\ir ../_helpers/load.sql
select plan(5);

select pg_temp.append();
select pg_temp.append('{"runId": "waiting"}');
select runstore.project_snapshot('run-1');

select is(runstore.get_snapshot(v.run_id), null, coalesce(v.run_id, 'null'))
from (values ('no such run'), ('RUN-1'), (''), (null), ('waiting')) as v (run_id);

select * from finish();
rollback;
