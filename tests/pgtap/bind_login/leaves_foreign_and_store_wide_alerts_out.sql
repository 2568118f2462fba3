begin;
\ir ../_helpers/load.sql
select plan(2);

select pg_temp.make_login('tenant_login', 'runstore_reader');
select runstore.bind_login('tenant_login', 'tenant-1');
select runstore.raise_alert('IDEMPOTENCY_CONFLICT', 'run-1', 'tenant-1', pg_temp.id(1), 1, '{}');
select runstore.raise_alert('IDEMPOTENCY_CONFLICT', 'run-2', 'tenant-2', pg_temp.id(2), 1, '{}');
select runstore.raise_alert('IDEMPOTENCY_CONFLICT', '', null, null, null, '{}');

select is(
    pg_temp.rows_for('tenant_login', 'select a.run_id from runstore.alerts as a'),
    '[{"run_id": "run-1"}]'::jsonb,
    'a bound login'
);
select is((select count(*) from runstore.alerts), 3::bigint, 'an unbound one');

select * from finish();
rollback;
