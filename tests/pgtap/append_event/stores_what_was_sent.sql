begin;
\ir ../_helpers/load.sql
select plan(1);

select pg_temp.stop_clock('2026-03-01 12:00:00.5+00');

select pg_temp.append(jsonb_build_object(
    'eventType', 'StepCompleted', 'stepId', 'load', 'eventId', pg_temp.id(1), 'engineAttemptId', 2,
    'logicalAttemptId', 3, 'idempotencyKey', pg_temp.key(1), 'payload', '{"rows": 12, "rate": 1.50}'::jsonb,
    'adapterVersion', '1.2', 'engineRunRef', '{"id": "x"}'::jsonb, 'causedBySignalId', pg_temp.id(2),
    'parentEventId', pg_temp.id(3)
));

select is(
    to_jsonb(e),
    jsonb_build_object(
        'run_id', 'run-1', 'run_seq', 1, 'event_id', pg_temp.id(1), 'event_type', 'StepCompleted', 'step_id', 'load',
        'engine_attempt_id', 2, 'logical_attempt_id', 3, 'tenant_id', 'tenant-1', 'project_id', 'project-1',
        'environment_id', 'env-1', 'plan_id', 'plan-1', 'plan_version', '1', 'idempotency_key', pg_temp.key(1),
        'payload', '{"rows": 12, "rate": 1.50}'::jsonb, 'emitted_at', '2026-02-16 09:30:00.123456+00'::timestamptz,
        'persisted_at', '2026-03-01 12:00:00.5+00'::timestamptz, 'adapter_version', '1.2',
        'engine_run_ref', '{"id": "x"}'::jsonb, 'caused_by_signal_id', pg_temp.id(2), 'parent_event_id', pg_temp.id(3)
    ),
    'every field comes back'
)
from runstore.fetch_events('run-1') as e;

select * from finish();
rollback;
