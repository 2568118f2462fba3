begin;
\ir ../_helpers/load.sql
select plan(1);

select pg_temp.stop_clock('2026-03-01 12:00:00.5+00');
select pg_temp.append('{"eventType": "Custom"}');
select runstore.project_pending();

select is(
    runstore.get_snapshot('run-1'),
    '{
        "runId": "run-1", "tenantId": "tenant-1", "projectId": "project-1", "environmentId": "env-1",
        "status": "PENDING", "lastEventSeq": 1, "steps": [], "artifacts": [], "failedSteps": 0,
        "consistency": "CONSISTENT", "stale": false, "projectedAt": "2026-03-01T12:00:00.500000Z"
    }'::jsonb
);

select * from finish();
rollback;
