begin;
\ir ../_helpers/load.sql
select plan(5);

select pg_temp.append_types('run-1', 'RunStarted', 'StepStarted', 'RunCompleted');
select pg_temp.lose('run-1', 1);
select runstore.project_pending();

select is(
    runstore.get_snapshot('run-1') - 'projectedAt',
    '{
        "runId": "run-1", "tenantId": "tenant-1", "projectId": "project-1", "environmentId": "env-1",
        "status": "PENDING", "lastEventSeq": 0, "steps": [], "artifacts": [], "failedSteps": 0,
        "consistency": "CONSISTENT", "stale": true
    }'::jsonb,
    'at its very beginning'
);
select is(
    jsonb_build_array(a.code, a.run_seq, a.details),
    '["PROJECTOR_GAP_DETECTED", 1, {"lastSeq": 0, "nextSeq": 2}]'::jsonb,
    'with an alert'
)
from runstore.alerts as a;

select pg_temp.bring_back('run-1', 1);
create temporary table healed as select runstore.project_snapshot('run-1') as snapshot;
select is(
    h.snapshot - array['stale', 'projectedAt'], runstore.replay_snapshot('run-1'), 'and is whole when it comes back'
)
from healed as h;
select is(h.snapshot -> 'stale', 'false'::jsonb, 'and not stale') from healed as h;
select ok((select a.resolved_at is not null from runstore.alerts as a), 'and the alert is closed');

select * from finish();
rollback;
