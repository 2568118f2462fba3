begin;
\ir ../_helpers/load.sql
select plan(3);

select pg_temp.stop_clock('2026-03-01 12:00:00+00');
select pg_temp.append('{"eventType": "Custom"}');
select pg_temp.append('{"emittedAt": "2026-02-16T09:00:00Z"}');
select pg_temp.append('{"eventType": "RunCompleted", "emittedAt": "2026-02-16T10:00:00Z"}');
select pg_temp.append('{"eventType": "RunFailed"}');
select pg_temp.append('{"runId": "run-2", "eventType": "Custom"}');
select pg_temp.stop_clock('2026-03-01 12:00:05+00');
select pg_temp.append('{"runId": "run-2", "eventType": "Custom", "logicalAttemptId": 2}');
select pg_temp.append('{"runId": "run-2", "eventType": "Custom", "logicalAttemptId": 3}');
select pg_temp.lose('run-2', 2);
select pg_temp.append('{"runId": "not projected yet"}');
select runstore.project_snapshot(r.run_id) from unnest(array['run-1', 'run-2']) as r (run_id);

select is((select count(*) from runstore.list_runs()), 2::bigint, 'runs that have been projected');
select is(
    to_jsonb(r),
    jsonb_build_object(
        'run_id', 'run-1', 'tenant_id', 'tenant-1', 'project_id', 'project-1', 'environment_id', 'env-1',
        'status', 'COMPLETED', 'last_event_seq', 4, 'begun_at', '2026-03-01 12:00:00+00'::timestamptz,
        'started_at', '2026-02-16 09:00:00+00'::timestamptz, 'completed_at', '2026-02-16 10:00:00+00'::timestamptz,
        'consistency', 'INCONSISTENT', 'stale', false, 'projected_at', '2026-03-01 12:00:05+00'::timestamptz,
        'cursor', '2026-03-01T12:00:00.000000Z|run-1'
    ),
    'one that has ended'
)
from runstore.list_runs() as r
where r.run_id = 'run-1';
select is(
    to_jsonb(r),
    jsonb_build_object(
        'run_id', 'run-2', 'tenant_id', 'tenant-1', 'project_id', 'project-1', 'environment_id', 'env-1',
        'status', 'PENDING', 'last_event_seq', 1, 'begun_at', '2026-03-01 12:00:00+00'::timestamptz,
        'started_at', null, 'completed_at', null, 'consistency', 'CONSISTENT', 'stale', true,
        'projected_at', '2026-03-01 12:00:05+00'::timestamptz, 'cursor', '2026-03-01T12:00:00.000000Z|run-2'
    ),
    'one that has a gap'
)
from runstore.list_runs() as r
where r.run_id = 'run-2';

select * from finish();
rollback;
