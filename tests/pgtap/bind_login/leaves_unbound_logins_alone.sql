begin;
\ir ../_helpers/load.sql
select plan(6);

select pg_temp.make_login('bound_login', 'runstore_writer');
select pg_temp.make_login('free_login', 'runstore_writer', 'runstore_reader');
select runstore.bind_login('bound_login', 'tenant-1');
select pg_temp.append();

select is(
    pg_temp.outcome(c.statement, 'free_login'), '{}', format('it writes to any tenant, %s form', c.form)
)
from pg_temp.calls(pg_temp.event('{"runId": "run-2", "tenantId": "tenant-2"}')) as c;
select is(
    pg_temp.rows_for('free_login', 'select e.run_id from runstore.run_event_records as e order by e.run_id'),
    '[{"run_id": "run-1"}, {"run_id": "run-2"}]'::jsonb,
    'it reads any tenant'
);
select is(
    pg_temp.rows_for('free_login', 'select e.run_id from runstore.fetch_events(''run-2'') as e'),
    '[{"run_id": "run-2"}]'::jsonb,
    'and any run'
);

select * from finish();
rollback;
