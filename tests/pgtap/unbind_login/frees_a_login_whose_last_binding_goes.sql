begin;
\ir ../_helpers/load.sql
select plan(3);

select pg_temp.make_login('tenant_login', 'runstore_writer', 'runstore_reader');
select runstore.bind_login('tenant_login', 'tenant-1');
select runstore.unbind_login('tenant_login', 'tenant-1');

select is(
    pg_temp.outcome(c.statement, 'tenant_login'), '{}', format('it writes to any tenant, %s form', c.form)
)
from pg_temp.calls(pg_temp.event('{"tenantId": "tenant-2"}')) as c
where c.form in ('named', 'batch');
select is(
    pg_temp.rows_for('tenant_login', 'select e.tenant_id from runstore.run_event_records as e'),
    '[{"tenant_id": "tenant-2"}]'::jsonb,
    'and reads it'
);

select * from finish();
rollback;
