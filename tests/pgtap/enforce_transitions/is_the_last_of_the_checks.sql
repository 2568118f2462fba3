begin;
\ir ../_helpers/load.sql
select plan(28);

select pg_temp.make_login('tenant_login', 'runstore_writer');
select runstore.bind_login('tenant_login', 'tenant-1');
select runstore.set_config_value('max_signals_per_minute', '1');
select runstore.set_config_value('projection_mode', 'inline');
select runstore.set_config_value('enforce_transitions', 'true');
select pg_temp.append(jsonb_build_object('eventType', 'RunCompleted', 'eventId', pg_temp.id(1)));
select pg_temp.append('{"eventType": "SignalAccepted"}');

select is(
    coalesce(pg_temp.outcome(c.statement, 'tenant_login') ->> 'code', 'none'),
    v.code,
    format('%s, %s form', v.what, c.form)
)
from (values
    ('RS001 before RS004', 'RS001', '{"eventType": "RunPaused", "planId": ""}'::jsonb),
    (
        'RS005 before RS004', 'RS005',
        jsonb_build_object('eventType', 'RunPaused', 'payload', jsonb_build_object('a', repeat('x', 300000)))
    ),
    ('RS013 before RS004', 'RS013', '{"eventType": "RunPaused", "tenantId": "other"}'),
    ('RS002 before RS004', 'RS002', '{"eventType": "RunPaused", "projectId": "other"}'),
    ('RS003 before RS004', 'RS003', jsonb_build_object('eventType', 'RunPaused', 'eventId', pg_temp.id(1))),
    ('RS006, which has no transition', 'RS006', '{"eventType": "SignalRejected"}'),
    ('the answer to a duplicate before RS004', 'none', '{"eventType": "RunCompleted"}')
) as v (what, code, changes)
cross join lateral pg_temp.calls(pg_temp.event(v.changes)) as c;

select * from finish();
rollback;
