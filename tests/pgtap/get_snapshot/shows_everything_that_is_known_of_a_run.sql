begin;
\ir ../_helpers/load.sql
select plan(1);

select pg_temp.stop_clock('2026-03-01 12:00:00+00');
select runstore.append_events(jsonb_build_array(
    pg_temp.event('{"emittedAt": "2026-02-16T09:00:00Z", "engineRunRef": {"workflow": "w", "nothing": null}}'),
    pg_temp.event('{"eventType": "StepStarted", "stepId": "load", "emittedAt": "2026-02-16T09:00:01Z"}'),
    pg_temp.event(
        '{
            "eventType": "StepCompleted", "stepId": "load", "emittedAt": "2026-02-16T09:00:02.5Z", "engineAttemptId": 2,
            "payload": {"artifactRefs": [{"uri": "s3://a", "kind": "table"}]}
        }'
    ),
    pg_temp.event(
        '{
            "eventType": "StepFailed", "stepId": "check", "emittedAt": "2026-02-16T09:00:03Z",
            "payload": {"error": {"message": "no"}, "artifactRefs": [{"uri": "s3://log", "kind": "log"}]}
        }'
    ),
    pg_temp.event(
        '{
            "eventType": "StepSkipped", "stepId": "send", "emittedAt": "2026-02-16T09:00:04Z",
            "payload": {"reason": "not today"}
        }'
    ),
    pg_temp.event('{"eventType": "RunFailed", "emittedAt": "2026-02-16T09:01:00.000999Z", "payload": {"error": "no"}}')
));
select runstore.project_pending();

select is(
    runstore.get_snapshot('run-1'),
    '{
        "runId": "run-1", "tenantId": "tenant-1", "projectId": "project-1", "environmentId": "env-1",
        "status": "FAILED", "lastEventSeq": 6,
        "steps": [
            {
                "stepId": "load", "status": "SUCCESS", "logicalAttemptId": 1, "engineAttemptId": 2,
                "startedAt": "2026-02-16T09:00:01.000000Z", "completedAt": "2026-02-16T09:00:02.500000Z",
                "artifacts": [{"uri": "s3://a", "kind": "table"}]
            },
            {
                "stepId": "check", "status": "FAILED", "logicalAttemptId": 1, "engineAttemptId": 1,
                "completedAt": "2026-02-16T09:00:03.000000Z", "artifacts": [{"uri": "s3://log", "kind": "log"}],
                "error": {"message": "no"}
            },
            {
                "stepId": "send", "status": "SKIPPED", "logicalAttemptId": 1, "engineAttemptId": 1,
                "completedAt": "2026-02-16T09:00:04.000000Z", "artifacts": [], "reason": "not today"
            }
        ],
        "artifacts": [{"uri": "s3://a", "kind": "table"}, {"uri": "s3://log", "kind": "log"}],
        "startedAt": "2026-02-16T09:00:00.000000Z", "completedAt": "2026-02-16T09:01:00.000999Z",
        "totalDurationMs": 60000, "failedSteps": 1, "engineRunRef": {"workflow": "w", "nothing": null}, "error": "no",
        "consistency": "CONSISTENT", "stale": false, "projectedAt": "2026-03-01T12:00:00.000000Z"
    }'::jsonb
);

select * from finish();
rollback;
