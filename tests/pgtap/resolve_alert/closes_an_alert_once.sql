begin;
\ir ../_helpers/load.sql
select plan(3);

select runstore.raise_alert('IDEMPOTENCY_CONFLICT', 'run-1', 'tenant-1', pg_temp.id(1), 1, '{}');
select runstore.raise_alert('IDEMPOTENCY_CONFLICT', 'run-2', 'tenant-1', pg_temp.id(2), 1, '{}');
select pg_temp.stop_clock('2026-03-01 12:00:00+00');
select runstore.resolve_alert(a.alert_id) from runstore.alerts as a where a.run_id = 'run-1';
select pg_temp.stop_clock('2026-03-01 13:00:00+00');
select runstore.resolve_alert(a.alert_id) from runstore.alerts as a where a.run_id = 'run-1';

select is(a.resolved_at, '2026-03-01 12:00:00+00'::timestamptz, 'the first time stands')
from runstore.alerts as a where a.run_id = 'run-1';
select is(a.acknowledged_at, null, 'it need not be acknowledged') from runstore.alerts as a where a.run_id = 'run-1';
select is(a.resolved_at, null, 'the other is not touched') from runstore.alerts as a where a.run_id = 'run-2';

select * from finish();
rollback;
