-- Every ordered pair of offences, at the places 1 and 3.
begin;
\ir ../_helpers/load.sql
select plan(30);

create temporary table offence (code text, changes jsonb);
insert into offence values
('RS001', '{"planId": ""}'),
('RS005', jsonb_build_object('payload', jsonb_build_object('a', repeat('x', 300000)))),
('RS013', '{"runId": "run-9", "tenantId": "other"}'),
('RS002', '{"projectId": "other"}'),
('RS003', jsonb_build_object('eventId', pg_temp.id(1))),
('RS006', '{"eventType": "SignalRejected"}');

select pg_temp.make_login('tenant_login', 'runstore_writer');
select runstore.bind_login('tenant_login', 'tenant-1');
select runstore.set_config_value('max_signals_per_minute', '1');
select pg_temp.append(jsonb_build_object('eventType', 'SignalAccepted', 'eventId', pg_temp.id(1)));

select is(
    jsonb_build_array(d.detail -> 'code', d.detail -> 'index'),
    jsonb_build_array(a.code, 1),
    format('%s before %s', a.code, b.code)
)
from offence as a
inner join offence as b on a.code <> b.code
cross join lateral pg_temp.detail(
    format('select runstore.append_events(%L)', jsonb_build_array(
        pg_temp.event('{"runId": "run-2"}'),
        pg_temp.event('{"eventType": "RunFailed"}' || a.changes),
        pg_temp.event('{"runId": "run-3"}'),
        pg_temp.event('{"eventType": "RunPaused"}' || b.changes)
    )),
    'tenant_login'
) as d (detail);

select * from finish();
rollback;
