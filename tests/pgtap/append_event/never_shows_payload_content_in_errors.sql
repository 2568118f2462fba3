begin;
\ir ../_helpers/load.sql
select plan(68);

select runstore.set_config_value('max_payload_bytes', '200');
select runstore.set_config_value('max_signal_bytes', '100');
select pg_temp.append();

select unalike(
    pg_temp.error(c.statement)::text, '%secret%', format('%s, %s form', left(v.changes::text, 70), c.form)
)
from (values
    ('{"payload": "secret"}'::jsonb),
    ('{"payload": ["secret"]}'),
    ('{"engineRunRef": "secret"}'),
    ('{"engineRunRef": ["secret"]}'),
    ('{"payload": {"artifactRefs": "secret"}}'),
    ('{"payload": {"artifactRefs": ["secret"]}}'),
    ('{"payload": {"artifactRefs": [{"uri": "u", "kind": "k", "secret": "secret"}]}}'),
    ('{"payload": {"artifactRefs": [{"uri": "data:secret", "kind": "secret"}]}}'),
    (jsonb_build_object('payload', jsonb_build_object('secret', repeat('secret', 1000)))),
    (jsonb_build_object('engineRunRef', jsonb_build_object('secret', repeat('secret', 1000)))),
    (jsonb_build_object('eventType', 'SignalAccepted', 'payload', jsonb_build_object('a', repeat('secret', 20)))),
    ('{"planId": "", "payload": {"a": "secret"}}'),
    ('{"tenantId": "other", "payload": {"a": "secret"}, "eventType": "RunFailed"}'),
    ('{"stepId": "RUN", "payload": {"a": "secret"}, "engineRunRef": {"a": "secret"}}'),
    ('{"engineAttemptId": 0, "payload": {"a": "secret"}}'),
    ('{"eventId": "00000000-0000-0000-0000-000000000000", "payload": {"a": "secret"}}'),
    ('{"eventType": "StepStarted", "payload": {"a": "secret"}}')
) as v (changes)
cross join lateral pg_temp.calls(pg_temp.event(v.changes)) as c;

select * from finish();
rollback;
