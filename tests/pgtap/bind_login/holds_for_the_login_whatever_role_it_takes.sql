begin;
\ir ../_helpers/load.sql
select plan(2);

select pg_temp.make_login('tenant_login', 'runstore_writer', 'runstore_reader');
select runstore.bind_login('tenant_login', 'tenant-1');
select pg_temp.append('{"runId": "run-2", "tenantId": "tenant-2"}');

select is(
    pg_temp.rows_for('tenant_login', $$
    select e.run_id
    from (select set_config('role', 'runstore_reader', true) as role) as r
    cross join lateral (select f.run_id from runstore.fetch_events(substr('run-2' || r.role, 1, 5)) as f) as e
    $$),
    '[]'::jsonb,
    'reading'
);
select is(
    pg_temp.outcome($$ do $do$
    begin
        set local role runstore_writer;
        perform runstore.append_event('run-2', 'RunFailed', now(), 'tenant-2', 'project-1', 'env-1', 'plan-1', '1');
    end
    $do$ $$, 'tenant_login') ->> 'code',
    'RS013',
    'appending'
);

select * from finish();
rollback;
