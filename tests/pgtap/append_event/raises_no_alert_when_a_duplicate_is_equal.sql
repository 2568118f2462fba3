begin;
\ir ../_helpers/load.sql
select plan(2);

select pg_temp.append('{
    "eventType": "StepCompleted", "stepId": "load", "payload": {"a": 1, "b": [1, {"c": 2.0, "d": null}]},
    "causedBySignalId": "00000000-0000-4000-8000-000000000009"
}');

create temporary table again as
select pg_temp.outcome(c.statement) as outcome
from (values
    ('{"a": 1, "b": [1, {"c": 2.0, "d": null}]}'::jsonb),
    ('{"b": [1, {"d": null, "c": 2.0}], "a": 1}'),
    ('{"b": [1.0, {"d": null, "c": 2}], "a": 1, "a": 1}')
) as v (payload)
cross join lateral pg_temp.calls(pg_temp.event(jsonb_build_object(
    'eventType', 'StepCompleted', 'stepId', 'load', 'payload', v.payload, 'causedBySignalId', pg_temp.id(9)
))) as c;

select is((select count(*) from again as a where a.outcome = '{}'), 12::bigint, 'all were answered');
select is((select count(*) from runstore.alerts), 0::bigint, 'the order of keys and the scale do not matter');

select * from finish();
rollback;
