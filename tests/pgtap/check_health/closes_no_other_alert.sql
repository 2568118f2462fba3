begin;
\ir ../_helpers/load.sql
select plan(1);

select runstore.raise_alert('IDEMPOTENCY_CONFLICT', '', null, null, null, '{}');
select runstore.raise_alert('PROJECTOR_GAP_DETECTED', 'run-1', 'tenant-1', null, 1, '{}');
select runstore.check_health();

select is((select count(*) from runstore.alerts as a where a.resolved_at is null), 2::bigint);

select * from finish();
rollback;
