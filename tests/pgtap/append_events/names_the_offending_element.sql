begin;
\ir ../_helpers/load.sql
select plan(14);

create temporary table offence (code text, changes jsonb);
insert into offence values
('RS001', '{"planId": ""}'),
('RS001', '{"extra": 1}'),
('RS001', '{"runSeq": 1}'),
('RS005', jsonb_build_object('payload', jsonb_build_object('a', repeat('x', 300000)))),
('RS002', '{"runId": "run-1", "projectId": "other"}'),
('RS003', jsonb_build_object('runId', 'run-1', 'eventId', pg_temp.id(1))),
('RS006', '{"runId": "run-1", "eventType": "SignalRejected"}');

select runstore.set_config_value('max_signals_per_minute', '1');
select pg_temp.append(jsonb_build_object('eventType', 'SignalAccepted', 'eventId', pg_temp.id(1)));

create temporary table refused as
select o.code, o.changes, pg_temp.error(format('select runstore.append_events(%L)', jsonb_build_array(
    pg_temp.event('{"runId": "run-2"}'), pg_temp.event('{"runId": "run-3"}'),
    pg_temp.event('{"eventType": "RunFailed"}' || o.changes), pg_temp.event('{"runId": "run-4"}')
))) as error
from offence as o;

select is(
    (r.error ->> 'detail')::jsonb #> '{index}', '2'::jsonb, format('%s %s, detail', r.code, left(r.changes::text, 60))
)
from refused as r;
select matches(
    r.error ->> 'message',
    '^[A-Z_]+: event 2 of the batch: ',
    format('%s %s, message', r.code, left(r.changes::text, 60))
)
from refused as r;

select * from finish();
rollback;
