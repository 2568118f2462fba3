begin;
\ir ../_helpers/load.sql
select plan(3);

select pg_temp.make_login('tenant_login', 'runstore_reader');
select runstore.bind_login('tenant_login', 'tenant-1');
select pg_temp.append();
select pg_temp.append('{"runId": "run-2", "tenantId": "tenant-2"}');

select is(
    pg_temp.rows_for('tenant_login', 'select e.run_id from runstore.fetch_events(''run-1'') as e'),
    '[{"run_id": "run-1"}]'::jsonb,
    'its own'
);
select is(
    pg_temp.rows_for('tenant_login', 'select e.run_id from runstore.fetch_events(''run-2'') as e'),
    '[]'::jsonb,
    'a foreign one'
);
select is(
    pg_temp.outcome('select * from runstore.fetch_events(''run-2'')', 'tenant_login'),
    pg_temp.outcome('select * from runstore.fetch_events(''no such run'')', 'tenant_login'),
    'looks unknown'
);

select * from finish();
rollback;
