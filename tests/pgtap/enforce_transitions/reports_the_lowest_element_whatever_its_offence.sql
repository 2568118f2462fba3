-- Every offence, once before and once after an event that the transitions refuse.
begin;
\ir ../_helpers/load.sql
select plan(12);

create temporary table offence (code text, changes jsonb);
insert into offence values
('RS001', '{"runId": "run-8", "planId": ""}'),
('RS005', jsonb_build_object('runId', 'run-8', 'payload', jsonb_build_object('a', repeat('x', 300000)))),
('RS013', '{"runId": "run-9", "tenantId": "other"}'),
('RS002', '{"projectId": "other"}'),
('RS003', jsonb_build_object('eventType', 'Custom', 'eventId', pg_temp.id(1))),
('RS006', '{"eventType": "SignalRejected"}');

select pg_temp.make_login('tenant_login', 'runstore_writer');
select runstore.bind_login('tenant_login', 'tenant-1');
select runstore.set_config_value('max_signals_per_minute', '1');
select runstore.set_config_value('projection_mode', 'inline');
select runstore.set_config_value('enforce_transitions', 'true');
select pg_temp.append(jsonb_build_object('eventType', 'SignalAccepted', 'eventId', pg_temp.id(1)));

select is(
    jsonb_build_array(d.detail -> 'code', d.detail -> 'index'),
    jsonb_build_array(v.code, 1),
    format('%s before %s', v.code, case v.code when 'RS004' then o.code else 'RS004' end)
)
from offence as o
cross join lateral (values
    ('RS004', pg_temp.event('{"runId": "run-3", "eventType": "RunPaused"}'), pg_temp.event(o.changes)),
    (o.code, pg_temp.event(o.changes), pg_temp.event('{"runId": "run-3", "eventType": "RunPaused"}'))
) as v (code, first, second)
cross join lateral pg_temp.detail(
    format('select runstore.append_events(%L)', jsonb_build_array(
        pg_temp.event('{"runId": "run-2"}'), v.first, pg_temp.event('{"runId": "run-4"}'), v.second
    )),
    'tenant_login'
) as d (detail);

select * from finish();
rollback;
