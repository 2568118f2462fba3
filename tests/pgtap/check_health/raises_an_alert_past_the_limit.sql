begin;
\ir ../_helpers/load.sql
select plan(4);

select pg_temp.stop_clock('2026-03-01 12:00:00+00');
select pg_temp.append('{"runId": "one"}');
select pg_temp.append('{"runId": "two"}');
select pg_temp.stop_clock('2026-03-01 12:00:05.000999+00');
select runstore.check_health();
select is((select count(*) from runstore.alerts), 0::bigint, 'not at 5000 ms');

select pg_temp.stop_clock('2026-03-01 12:00:05.001+00');
select runstore.check_health();
select is(
    to_jsonb(a) - 'alert_id',
    jsonb_build_object(
        'code', 'PROJECTOR_LAG_HIGH', 'severity', 'P2', 'run_id', '', 'tenant_id', null, 'event_id', null,
        'run_seq', null, 'details', '{"lagMs": 5001, "limitMs": 5000, "dueRuns": 2}'::jsonb,
        'raised_at', '2026-03-01 12:00:05.001+00'::timestamptz,
        'last_seen_at', '2026-03-01 12:00:05.001+00'::timestamptz,
        'count', 1, 'acknowledged_at', null, 'resolved_at', null
    ),
    'but at 5001'
)
from runstore.alerts as a;

select pg_temp.stop_clock('2026-03-01 12:00:07+00');
select runstore.check_health();
select results_eq(
    'select a.count, a.last_seen_at from runstore.alerts as a',
    $$ values (2::bigint, '2026-03-01 12:00:07+00'::timestamptz) $$,
    'and counts'
);
select is((select a.details -> 'lagMs' from runstore.alerts as a), '7000'::jsonb, 'with the latest lag');

select * from finish();
rollback;
