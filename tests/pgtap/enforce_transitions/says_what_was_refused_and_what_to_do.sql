begin;
\ir ../_helpers/load.sql
select plan(12);

select runstore.set_config_value('projection_mode', 'inline');
select runstore.set_config_value('enforce_transitions', 'true');
select pg_temp.append_types('run-1', 'RunStarted', 'RunCompleted', 'StepSkipped');

select is(
    pg_temp.error(c.statement) - 'detail',
    jsonb_build_object(
        'sqlstate', 'RS004',
        'message', format(
            'INVALID_TRANSITION: %s%s', case c.form when 'batch' then 'event 0 of the batch: ' end, v.message
        ),
        'hint', 'Look at the snapshot: the event came too late, twice or out of order.'
    ),
    format('%s, %s form', v.message, c.form)
)
from (values
    ('{"eventType": "RunPaused"}'::jsonb, 'eventType "RunPaused" is refused: the run stands at COMPLETED'),
    (
        '{"eventType": "StepStarted", "stepId": "load"}',
        'eventType "StepStarted" is refused: the step stands at SKIPPED'
    )
) as v (changes, message)
cross join lateral pg_temp.calls(pg_temp.event(v.changes)) as c;
select is(
    pg_temp.outcome(c.statement),
    '{"code": "RS004", "field": "eventType", "value": "RunStarted", "expected": "a run at APPROVED, PENDING"}'::jsonb
    || case c.form when 'batch' then '{"index": 0}'::jsonb else '{}' end,
    format('what was expected, %s form', c.form)
)
from pg_temp.calls(pg_temp.event('{"logicalAttemptId": 2}')) as c;

select * from finish();
rollback;
