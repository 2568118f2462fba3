begin;
\ir ../_helpers/load.sql
select plan(15);

select pg_temp.make_login('writing_login', 'runstore_writer');

select is(
    pg_temp.outcome(replace(c.statement, 'run-1', c.form), 'writing_login'), '{}', format('append, %s form', c.form)
)
from pg_temp.calls(pg_temp.event()) as c;
select is(pg_temp.error(v.statement, 'writing_login') ->> 'sqlstate', '42501', v.statement)
from (values
    ('select * from runstore.fetch_events(''run-1'')'),
    ('select * from runstore.run_event_records'),
    ('select * from runstore.alerts'),
    ('select * from runstore.run_snapshots'),
    ('select runstore.get_snapshot(''run-1'')'),
    ('select runstore.replay_snapshot(''run-1'')'),
    ('select * from runstore.list_runs()'),
    ('select runstore.project_snapshot(''run-1'')'),
    ('select runstore.project_pending()'),
    ('select runstore.resync_run(''run-1'')'),
    ('select * from runstore.run_events')
) as v (statement);

select * from finish();
rollback;
