begin;
\ir ../_helpers/load.sql
select plan(1);

select pg_temp.append(jsonb_build_object('runId', r.run_id))
from unnest(array['run-1', 'run-10', 'run', 'run-2']) as r (run_id);

select results_eq(
    $$ select e.run_id::text collate "default" from runstore.fetch_events('run-1') as e $$,
    $$ values ('run-1'::text) $$
);

select * from finish();
rollback;
