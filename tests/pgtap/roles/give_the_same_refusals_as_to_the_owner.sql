-- A refusal is built from tables that the caller cannot read.
begin;
\ir ../_helpers/load.sql
select plan(32);

select pg_temp.make_login('writing_login', 'runstore_writer');
select runstore.set_config_value('max_signals_per_minute', '1');
select pg_temp.append(jsonb_build_object('eventType', 'SignalAccepted', 'eventId', pg_temp.id(1)));

select is(
    pg_temp.error(c.statement, 'writing_login'),
    pg_temp.error(c.statement),
    format('%s, %s form', left(v.changes::text, 60), c.form)
)
from (values
    ('{"planId": ""}'::jsonb),
    ('{"tenantId": null}'),
    ('{"payload": {"artifactRefs": 1}}'),
    ('{"eventType": "StepStarted"}'),
    ('{"tenantId": "other"}'),
    (jsonb_build_object('eventId', pg_temp.id(1))),
    (jsonb_build_object('payload', jsonb_build_object('a', repeat('x', 300000)))),
    ('{"engineRunRef": []}')
) as v (changes)
cross join lateral pg_temp.calls(pg_temp.event(v.changes)) as c;

select * from finish();
rollback;
