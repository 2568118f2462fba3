begin;
\ir ../_helpers/load.sql
select plan(30);

select pg_temp.append();
select pg_temp.append('{"payload": {"differs": true}}');
select runstore.project_pending();
select pg_temp.make_login('runstore_reader_login', 'runstore_reader');
select pg_temp.make_login('runstore_worker_login', 'runstore_worker');

select is(
    pg_temp.rows_for(r.role || '_login', v.query),
    '[{"run_id": "run-1"}]'::jsonb,
    format('%s: %s', r.role, v.query)
)
from unnest(array['runstore_reader', 'runstore_worker']) as r (role)
cross join (values
    ('select e.run_id from runstore.fetch_events(''run-1'') as e'),
    ('select e.run_id from runstore.run_event_records as e'),
    ('select a.run_id from runstore.alerts as a'),
    ('select s.run_id from runstore.run_snapshots as s'),
    ('select runstore.get_snapshot(''run-1'') ->> ''runId'' as run_id'),
    ('select runstore.replay_snapshot(''run-1'') ->> ''runId'' as run_id'),
    ('select r.run_id from runstore.list_runs() as r')
) as v (query);
select is(
    pg_temp.error(c.statement, r.role || '_login') ->> 'sqlstate', '42501', format('%s: %s form', r.role, c.form)
)
from unnest(array['runstore_reader', 'runstore_worker']) as r (role)
cross join lateral pg_temp.calls(pg_temp.event('{"eventType": "RunFailed"}')) as c;
select is(pg_temp.error(v.statement, r.role || '_login') ->> 'sqlstate', '42501', format('%s: %s', r.role, v.statement))
from unnest(array['runstore_reader', 'runstore_worker']) as r (role)
cross join (values
    ('select runstore.set_config_value(''max_payload_bytes'', ''100'')'),
    ('select runstore.bind_login(''runstore_reader_login'', ''tenant-1'')'),
    ('select runstore.unbind_login(''runstore_reader_login'', ''tenant-1'')'),
    ('select runstore.resolve_alert(a.alert_id) from runstore.alerts as a')
) as v (statement);

select * from finish();
rollback;
