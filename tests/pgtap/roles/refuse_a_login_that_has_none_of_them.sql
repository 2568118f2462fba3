begin;
\ir ../_helpers/load.sql
select plan(14);

select pg_temp.make_login('stranger');

select is(pg_temp.error(v.statement, 'stranger') ->> 'sqlstate', '42501', v.statement)
from (values
    ('select runstore.version()'),
    ('select * from runstore.fetch_events(''run-1'')'),
    ('select * from runstore.run_event_records'),
    ('select * from runstore.alerts'),
    ('select * from runstore.run_snapshots'),
    ('select * from runstore.list_runs()'),
    ('select runstore.get_snapshot(''run-1'')'),
    ('select runstore.replay_snapshot(''run-1'')'),
    ('select runstore.project_snapshot(''run-1'')'),
    ('select runstore.project_pending()'),
    ('select runstore.resync_run(''run-1'')'),
    ('select runstore.check_health()'),
    ('select runstore.detect_gap(1, 2)'),
    ('select runstore.append_event(''{}''::jsonb)')
) as v (statement);

select * from finish();
rollback;
