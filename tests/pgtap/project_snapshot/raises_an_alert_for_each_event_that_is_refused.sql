begin;
\ir ../_helpers/load.sql
select plan(3);

select pg_temp.stop_clock('2026-03-01 12:00:00+00');
select pg_temp.append('{"eventType": "RunCompleted"}');
select pg_temp.append(jsonb_build_object('eventType', 'RunPaused', 'eventId', pg_temp.id(2)));
select pg_temp.append('{"eventType": "StepSkipped", "stepId": "load", "logicalAttemptId": 4}');
select pg_temp.append(jsonb_build_object(
    'eventType', 'StepFailed', 'stepId', 'load', 'logicalAttemptId', 4, 'eventId', pg_temp.id(4),
    'emittedAt', '2026-02-16T09:30:00+01:00'
));
select pg_temp.stop_clock('2026-03-01 12:00:01+00');
select runstore.project_snapshot('run-1');

select is(
    to_jsonb(a) - 'alert_id',
    jsonb_build_object(
        'code', 'INVALID_TRANSITION', 'severity', 'P3', 'run_id', 'run-1', 'tenant_id', 'tenant-1',
        'event_id', pg_temp.id(e.run_seq), 'run_seq', e.run_seq, 'details', e.details,
        'raised_at', '2026-03-01 12:00:01+00'::timestamptz, 'last_seen_at', '2026-03-01 12:00:01+00'::timestamptz,
        'count', 1, 'acknowledged_at', null, 'resolved_at', null
    ),
    e.details ->> 'eventType'
)
from (values
    (
        2,
        '{
            "eventType": "RunPaused", "logicalAttemptId": 1, "emittedAt": "2026-02-16T09:30:00.123456Z",
            "priorState": "COMPLETED", "attemptedState": "PAUSED"
        }'::jsonb
    ),
    (
        4,
        '{
            "eventType": "StepFailed", "stepId": "load", "logicalAttemptId": 4,
            "emittedAt": "2026-02-16T08:30:00.000000Z", "priorState": "SKIPPED", "attemptedState": "FAILED"
        }'
    )
) as e (run_seq, details)
left join runstore.alerts as a on a.run_seq = e.run_seq;
select is((select count(*) from runstore.alerts), 2::bigint, 'and for no other');

select * from finish();
rollback;
