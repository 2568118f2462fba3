begin;
\ir ../_helpers/load.sql
select plan(1);

select pg_temp.append_types(r.run_id, 'RunStarted', 'StepCompleted')
from unnest(array['run-1', 'run-10', 'run']) as r (run_id);
select runstore.project_pending();
update runstore.run_steps set status = 'FAILED';
select runstore.resync_run('run-1');

select results_eq(
    'select p.run_id::text collate "default", p.status::text collate "default" from runstore.run_steps as p order by 1',
    $$ values ('run'::text, 'FAILED'::text), ('run-1', 'SUCCESS'), ('run-10', 'FAILED') $$
);

select * from finish();
rollback;
