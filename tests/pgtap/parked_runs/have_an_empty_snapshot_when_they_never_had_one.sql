begin;
\ir ../_helpers/load.sql
select plan(1);

select pg_temp.append_types('run-1', 'RunStarted', 'StepCompleted');
select pg_temp.spoil('run-1', 2);
select runstore.project_pending();

select is(
    runstore.get_snapshot('run-1') - 'projectedAt',
    '{
        "runId": "run-1", "tenantId": "tenant-1", "projectId": "project-1", "environmentId": "env-1",
        "status": "PENDING", "lastEventSeq": 0, "steps": [], "artifacts": [], "failedSteps": 0,
        "consistency": "CONSISTENT", "stale": true
    }'::jsonb
);

select * from finish();
rollback;
