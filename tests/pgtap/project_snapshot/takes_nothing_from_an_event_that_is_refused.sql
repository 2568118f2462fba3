begin;
\ir ../_helpers/load.sql
select plan(4);

create temporary table payload as
select '{"error": "refused", "reason": "refused", "artifactRefs": [{"uri": "refused", "kind": "k"}]}'::jsonb as payload;

create temporary table event as
select v.nth, pg_temp.event(
    jsonb_build_object(
        'eventType', v.event_type, 'stepId', v.step_id, 'idempotencyKey', pg_temp.key(v.nth), 'engineAttemptId', v.nth,
        'emittedAt', format('2026-01-01T00:00:%sZ', lpad(v.nth::text, 2, '0'))
    ) || case
        when v.is_refused then jsonb_build_object('payload', p.payload, 'engineRunRef', '{"ref": "refused"}'::jsonb)
        else '{}'
    end
) as event
from payload as p
cross join (values
    (1, 'RunStarted', null, false), (2, 'RunStarted', null, true),
    (3, 'StepCompleted', 'done', false), (4, 'StepFailed', 'done', true), (5, 'StepCompleted', 'done', true),
    (6, 'StepStarted', 'running', false), (7, 'StepSkipped', 'running', true),
    (8, 'StepSkipped', 'skipped', false), (9, 'StepStarted', 'skipped', true), (10, 'StepSkipped', 'skipped', true),
    (11, 'RunCancelled', null, false), (12, 'RunFailed', null, true), (13, 'RunCompleted', null, true)
) as v (nth, event_type, step_id, is_refused);

select runstore.append_events((select jsonb_agg(e.event || '{"runId": "in one go"}' order by e.nth) from event as e));

do $$
declare
    v_event event;
begin
    for v_event in select e.* from event as e order by e.nth loop
        perform runstore.append_event(v_event.event || '{"runId": "one by one"}');
        perform runstore.project_snapshot('one by one');
    end loop;
end
$$;
select runstore.project_pending();

select is(
    runstore.get_snapshot(r.run_id) - array['runId', 'tenantId', 'projectId', 'environmentId', 'projectedAt'],
    '{
        "status": "CANCELLED", "lastEventSeq": 13, "artifacts": [], "failedSteps": 0, "totalDurationMs": 10000,
        "startedAt": "2026-01-01T00:00:01.000000Z", "completedAt": "2026-01-01T00:00:11.000000Z",
        "consistency": "INCONSISTENT", "stale": false,
        "steps": [
            {
                "stepId": "done", "status": "SUCCESS", "logicalAttemptId": 1, "engineAttemptId": 3, "artifacts": [],
                "completedAt": "2026-01-01T00:00:03.000000Z"
            },
            {
                "stepId": "running", "status": "RUNNING", "logicalAttemptId": 1, "engineAttemptId": 6, "artifacts": [],
                "startedAt": "2026-01-01T00:00:06.000000Z"
            },
            {
                "stepId": "skipped", "status": "SKIPPED", "logicalAttemptId": 1, "engineAttemptId": 8, "artifacts": [],
                "completedAt": "2026-01-01T00:00:08.000000Z"
            }
        ]
    }'::jsonb,
    r.run_id
)
from unnest(array['in one go', 'one by one']) as r (run_id);
select is(
    array(select a.run_seq from runstore.alerts as a where a.run_id = r.run_id order by a.run_seq),
    '{2,4,5,7,9,10,12,13}'::bigint[],
    format('%s, the alerts', r.run_id)
)
from unnest(array['in one go', 'one by one']) as r (run_id);

select * from finish();
rollback;
