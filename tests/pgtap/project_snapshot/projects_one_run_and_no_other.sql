begin;
\ir ../_helpers/load.sql
select plan(2);

select pg_temp.append(jsonb_build_object('runId', r.run_id)) from unnest(array['run-1', 'run-10', 'run']) as r (run_id);
select runstore.project_snapshot('run-1');

select results_eq(
    'select s.run_id::text collate "default" from runstore.run_snapshots as s',
    $$ values ('run-1'::text) $$,
    'snapshots'
);
select results_eq(
    'select d.run_id::text collate "default" from runstore.due_runs as d order by 1',
    $$ values ('run'::text), ('run-10') $$,
    'the others still have work'
);

select * from finish();
rollback;
