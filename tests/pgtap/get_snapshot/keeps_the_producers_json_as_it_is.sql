begin;
\ir ../_helpers/load.sql
select plan(40);

create temporary table value as
select v.value, row_number() over () as nth
from (values
    ('{"code": null, "causes": [null, {"a": null}], "empty": {}, "none": []}'::jsonb),
    ('{"quote": "\" and \\ and \n and \u20ac and 😀", "" : 1}'),
    ('"a text, with \"quotes\""'),
    ('""'),
    ('[]'),
    ('{}'),
    ('0'),
    ('false'),
    ('12345678901234567890.123456789012345678901234567890'),
    ('[1, [2, [3, null]]]')
) as v (value);

select runstore.append_events(jsonb_build_array(
    pg_temp.event(jsonb_build_object('runId', v.nth::text, 'engineRunRef', jsonb_build_object('ref', v.value))),
    pg_temp.event(jsonb_build_object(
        'runId', v.nth::text, 'eventType', 'StepFailed', 'stepId', 'a', 'payload', jsonb_build_object('error', v.value)
    )),
    pg_temp.event(jsonb_build_object(
        'runId', v.nth::text, 'eventType', 'StepSkipped', 'stepId', 'b',
        'payload', jsonb_build_object('reason', v.value)
    )),
    pg_temp.event(jsonb_build_object(
        'runId', v.nth::text, 'eventType', 'RunFailed', 'payload', jsonb_build_object('error', v.value)
    ))
))
from value as v;
select runstore.project_pending();

select is(runstore.get_snapshot(v.nth::text) #> p.path, v.value, format('%s at %s', v.value, p.path))
from value as v
cross join (values
    ('{engineRunRef,ref}'::text[]), ('{steps,0,error}'), ('{steps,1,reason}'), ('{error}')
) as p (path);

select * from finish();
rollback;
