begin;
\ir ../_helpers/load.sql
select plan(1);

-- The payload says nothing that a snapshot takes from a StepStarted.
select pg_temp.append(
    '{
        "eventType": "StepStarted", "stepId": "load", "logicalAttemptId": 3, "engineAttemptId": 7,
        "engineRunRef": {"a": 1},
        "payload": {"error": {"a": 1}, "reason": "none", "artifactRefs": [{"uri": "u", "kind": "k"}]}
    }'
);

select is(
    runstore.project_snapshot('run-1') -> 'steps',
    '[{
        "stepId": "load", "status": "RUNNING", "logicalAttemptId": 3, "engineAttemptId": 7,
        "startedAt": "2026-02-16T09:30:00.123456Z", "artifacts": []
    }]'::jsonb
);

select * from finish();
rollback;
