begin;
\ir ../_helpers/load.sql
select plan(4);

select pg_temp.make_login('tenant_login', 'runstore_worker');
select runstore.bind_login('tenant_login', 'tenant-1');
select pg_temp.append();
select pg_temp.append('{"runId": "run-2", "tenantId": "tenant-2"}');

select is(
    pg_temp.outcome($$ select runstore.resync_run('run-2') $$, 'tenant_login') ->> 'code', 'RS012', 'a foreign one'
);
select is(
    replace(pg_temp.error($$ select runstore.resync_run('run-2') $$, 'tenant_login')::text, 'run-2', 'run-3'),
    pg_temp.error($$ select runstore.resync_run('run-3') $$, 'tenant_login')::text,
    'reads like one that is not there'
);
select is(runstore.get_snapshot('run-2'), null, 'and nothing was projected');
select is(pg_temp.outcome($$ select runstore.resync_run('run-1') $$, 'tenant_login'), '{}', 'its own');

select * from finish();
rollback;
