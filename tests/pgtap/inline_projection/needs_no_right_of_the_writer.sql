begin;
\ir ../_helpers/load.sql
select plan(5);

select pg_temp.make_login('writing_login', 'runstore_writer');
select runstore.bind_login('writing_login', 'tenant-1');
select runstore.set_config_value('projection_mode', 'inline');

select is(
    pg_temp.outcome(replace(c.statement, 'run-1', c.form), 'writing_login'), '{}', format('%s form', c.form)
)
from pg_temp.calls(pg_temp.event()) as c;
select is((select count(*) from runstore.run_snapshots), 4::bigint, 'all are projected');

select * from finish();
rollback;
