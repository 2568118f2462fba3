begin;
\ir ../_helpers/load.sql
select plan(28);

select pg_temp.make_login('tenant_login', 'runstore_writer');
select runstore.bind_login('tenant_login', 'tenant-1');
select runstore.set_config_value('max_signals_per_minute', '1');
select pg_temp.append(jsonb_build_object('eventType', 'SignalAccepted', 'eventId', pg_temp.id(1)));
select pg_temp.append('{"runId": "foreign", "tenantId": "other"}');

select is(
    coalesce(pg_temp.outcome(c.statement, 'tenant_login') ->> 'code', 'none'),
    v.code,
    format('%s, %s form', v.what, c.form)
)
from (values
    (
        'RS001 before RS013', 'RS001',
        '{"runId": "foreign", "tenantId": "other", "planId": ""}'::jsonb
    ),
    (
        'RS005 before RS013', 'RS005',
        jsonb_build_object(
            'runId', 'foreign', 'tenantId', 'other', 'payload', jsonb_build_object('a', repeat('x', 300000))
        )
    ),
    (
        'RS013 before RS002 and the answer to a duplicate', 'RS013',
        '{"tenantId": "other", "eventType": "SignalAccepted"}'
    ),
    (
        'RS002 before the answer to a duplicate', 'RS002',
        '{"projectId": "other", "eventType": "SignalAccepted"}'
    ),
    (
        'RS002 before RS003 and RS006', 'RS002',
        jsonb_build_object('projectId', 'other', 'eventType', 'SignalRejected', 'eventId', pg_temp.id(1))
    ),
    (
        'the answer to a duplicate before RS003 and RS006', 'none',
        jsonb_build_object('eventType', 'SignalAccepted', 'eventId', pg_temp.id(1))
    ),
    (
        'RS003 before RS006', 'RS003',
        jsonb_build_object('eventType', 'SignalRejected', 'eventId', pg_temp.id(1))
    )
) as v (what, code, changes)
cross join lateral pg_temp.calls(pg_temp.event(v.changes)) as c;

select * from finish();
rollback;
