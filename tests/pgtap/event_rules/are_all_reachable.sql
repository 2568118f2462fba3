begin;
\ir ../_helpers/load.sql
select plan(57);

create temporary table offence (rule text, event jsonb);
insert into offence values
('event', '[]'),
('unknownKey', pg_temp.event('{"extra": 1}')),
('authority.runSeq', pg_temp.event('{"runSeq": 1}')),
('authority.persistedAt', pg_temp.event('{"persistedAt": "2026-01-01T00:00:00Z"}')),
('runId', pg_temp.event('{"runId": ""}')),
('eventType', pg_temp.event('{"eventType": ""}')),
('emittedAt', pg_temp.event('{"emittedAt": ""}')),
('tenantId', pg_temp.event('{"tenantId": ""}')),
('projectId', pg_temp.event('{"projectId": ""}')),
('environmentId', pg_temp.event('{"environmentId": ""}')),
('planId', pg_temp.event('{"planId": ""}')),
('planVersion', pg_temp.event('{"planVersion": ""}')),
('engineAttemptId', pg_temp.event('{"engineAttemptId": 0}')),
('logicalAttemptId', pg_temp.event('{"logicalAttemptId": 0}')),
('idempotencyKey', pg_temp.event('{"idempotencyKey": ""}')),
('eventId', pg_temp.event('{"eventId": ""}')),
('stepId', pg_temp.event('{"eventType": "StepStarted", "stepId": "RUN"}')),
('stepRequired', pg_temp.event('{"eventType": "StepStarted"}')),
('stepForbidden', pg_temp.event('{"stepId": "load"}')),
('payload', pg_temp.event('{"payload": []}')),
('payloadSize', pg_temp.event(jsonb_build_object('payload', jsonb_build_object('a', repeat('x', 262144))))),
('signalSize', pg_temp.event(jsonb_build_object(
    'eventType', 'SignalAccepted', 'payload', jsonb_build_object('a', repeat('x', 65536))
))),
('artifactRefs', pg_temp.event('{"payload": {"artifactRefs": 1}}')),
('adapterVersion', pg_temp.event('{"adapterVersion": ""}')),
('engineRunRef', pg_temp.event('{"engineRunRef": []}')),
('engineRunRefSize', pg_temp.event(jsonb_build_object('engineRunRef', jsonb_build_object('a', repeat('x', 262144))))),
('causedBySignalId', pg_temp.event('{"causedBySignalId": ""}')),
('parentEventId', pg_temp.event('{"parentEventId": ""}'));

select set_eq(
    'select o.rule from offence as o',
    'select r.rule::text collate "default" from runstore.event_rules as r',
    'every rule has an offence here'
);

create temporary table refused as
select o.rule, e.form, pg_temp.error(e.statement) as error
from offence as o
cross join lateral (values
    ('json', format('select runstore.append_event(%L::jsonb)', o.event)),
    ('batch', format('select runstore.append_events(%L::jsonb)', jsonb_build_array(o.event)))
) as e (form, statement);

select is(
    jsonb_build_array(
        r.error -> 'sqlstate', (r.error ->> 'detail')::jsonb -> 'field', (r.error ->> 'detail')::jsonb -> 'expected',
        r.error -> 'hint'
    ),
    jsonb_build_array(
        e.code,
        coalesce(e.field, 'extra'),
        replace(e.expected, '%s', case e.rule when 'signalSize' then '65536' else '262144' end),
        e.hint
    ),
    format('%s, %s form', r.rule, r.form)
)
from refused as r
inner join runstore.event_rules as e on r.rule = e.rule;

select * from finish();
rollback;
