begin;
\ir ../_helpers/load.sql
select plan(2);

select pg_temp.stop_clock('2026-03-01 12:00:00+00');
select pg_temp.append_types('run-1', 'RunStarted', 'RunPaused', 'RunResumed', 'RunPaused', 'RunResumed');
select pg_temp.lose('run-1', 3, 4);
select runstore.project_pending();
select runstore.project_pending();
select runstore.project_snapshot('run-1');
select pg_temp.stop_clock('2026-03-01 12:10:00+00');
select runstore.project_pending();
select pg_temp.append_types('run-1', 'RunCompleted');
select runstore.project_snapshot('run-1');
select runstore.resync_run('run-1', 'FROM_SNAPSHOT');

select is((select count(*) from runstore.alerts), 1::bigint, 'one');
select is(
    to_jsonb(a) - 'alert_id',
    jsonb_build_object(
        'code', 'PROJECTOR_GAP_DETECTED', 'severity', 'P1', 'run_id', 'run-1', 'tenant_id', 'tenant-1',
        'event_id', null, 'run_seq', 3, 'details', '{"lastSeq": 2, "nextSeq": 5}'::jsonb,
        'raised_at', '2026-03-01 12:00:00+00'::timestamptz, 'last_seen_at', '2026-03-01 12:00:00+00'::timestamptz,
        'count', 1, 'acknowledged_at', null, 'resolved_at', null
    ),
    'that names the first event that is missing'
)
from runstore.alerts as a;

select * from finish();
rollback;
