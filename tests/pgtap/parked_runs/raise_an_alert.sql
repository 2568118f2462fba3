begin;
\ir ../_helpers/load.sql
select plan(4);

select pg_temp.stop_clock('2026-03-01 12:00:00+00');
select pg_temp.append_types('run-1', 'RunStarted');
select runstore.project_pending();
select pg_temp.append_types('run-1', 'StepCompleted');
select pg_temp.spoil('run-1', 2);
select runstore.project_pending();

select is(
    to_jsonb(a) - array['alert_id', 'details'],
    jsonb_build_object(
        'code', 'PROJECTION_FAILED', 'severity', 'P2', 'run_id', 'run-1', 'tenant_id', 'tenant-1', 'event_id', null,
        'run_seq', 2, 'raised_at', '2026-03-01 12:00:00+00'::timestamptz,
        'last_seen_at', '2026-03-01 12:00:00+00'::timestamptz, 'count', 1, 'acknowledged_at', null, 'resolved_at', null
    ),
    'for the run'
)
from runstore.alerts as a;
select is(
    (a.details - 'message'),
    '{"sqlstate": "23502", "lastSeq": 1}'::jsonb,
    'that says what went wrong, and where'
)
from runstore.alerts as a;
select matches(a.details ->> 'message', 'step_id', 'in words') from runstore.alerts as a;

select pg_temp.stop_clock('2026-03-01 12:00:01+00');
select runstore.project_pending();
select results_eq(
    'select a.count, a.last_seen_at from runstore.alerts as a',
    $$ values (2::bigint, '2026-03-01 12:00:01+00'::timestamptz) $$,
    'and counts each failure'
);

select * from finish();
rollback;
