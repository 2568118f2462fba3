begin;
\ir ../_helpers/load.sql
select plan(23);

select pg_temp.append();
select pg_temp.append('{"payload": {"differs": true}}');
select pg_temp.make_login('admin_login', 'runstore_admin');

select is(
    pg_temp.outcome(replace(c.statement, 'run-1', c.form), 'admin_login'), '{}', format('append, %s form', c.form)
)
from pg_temp.calls(pg_temp.event()) as c;
select is(pg_temp.error(v.statement, 'admin_login'), null, v.statement)
from (values
    ('select * from runstore.fetch_events(''run-1'')'),
    ('select * from runstore.run_event_records'),
    ('select runstore.project_pending()'),
    ('select runstore.project_snapshot(''run-1'')'),
    ('select runstore.get_snapshot(''run-1'')'),
    ('select runstore.replay_snapshot(''run-1'')'),
    ('select runstore.resync_run(''run-1'')'),
    ('select * from runstore.run_snapshots'),
    ('select * from runstore.list_runs()'),
    ('select runstore.check_health()'),
    ('select runstore.detect_gap(1, 2)'),
    ('select runstore.set_config_value(''projection_mode'', ''inline'')'),
    ('select runstore.ack_alert(a.alert_id) from runstore.alerts as a'),
    ('select runstore.resolve_alert(a.alert_id) from runstore.alerts as a'),
    ('select runstore.set_config_value(''max_payload_bytes'', ''100'')'),
    ('select runstore.bind_login(''admin_login'', ''tenant-1'')'),
    ('select runstore.unbind_login(''admin_login'', ''tenant-1'')'),
    ('select runstore.version()'),
    ('select runstore.idempotency_key(''r'', null, 1, ''t'', ''p'', ''1'')')
) as v (statement);

select * from finish();
rollback;
