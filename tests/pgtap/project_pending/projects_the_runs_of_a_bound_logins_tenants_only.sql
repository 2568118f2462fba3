begin;
\ir ../_helpers/load.sql
select plan(4);

select pg_temp.make_login('tenant_login', 'runstore_worker');
select runstore.bind_login('tenant_login', t.tenant_id) from unnest(array['tenant-2', 'tenant-3']) as t (tenant_id);
select pg_temp.append(jsonb_build_object('runId', 'run-' || n, 'tenantId', 'tenant-' || n))
from generate_series(1, 4) as n;

select is(
    pg_temp.rows_for('tenant_login', 'select runstore.project_pending() as done'), '[{"done": 2}]'::jsonb, 'its two'
);
select is(
    pg_temp.rows_for('tenant_login', 'select runstore.project_pending(1) as done'), '[{"done": 0}]'::jsonb, 'no more'
);
select results_eq(
    'select s.run_id::text collate "default" from runstore.run_snapshots as s order by 1',
    $$ values ('run-2'::text), ('run-3') $$,
    'foreign ones have no snapshot'
);
select is(runstore.project_pending(), 2::bigint, 'but still their work');

select * from finish();
rollback;
