begin;
\ir ../_helpers/load.sql
select plan(8);

select pg_temp.make_login('tenant_admin', 'runstore_admin');
select runstore.raise_alert('IDEMPOTENCY_CONFLICT', 'run-1', 'tenant-1', pg_temp.id(1), 1, '{}');
select runstore.raise_alert('IDEMPOTENCY_CONFLICT', 'run-2', 'tenant-2', pg_temp.id(2), 1, '{}');
select runstore.raise_alert('IDEMPOTENCY_CONFLICT', '', null, null, null, '{}');
create temporary table alert as select a.* from runstore.alerts as a;
select runstore.bind_login('tenant_admin', 'tenant-1');

select is(
    pg_temp.outcome(format('select runstore.%s(%L)', f.name, a.alert_id), 'tenant_admin') ->> 'code',
    case a.run_id when 'run-1' then null else 'RS010' end,
    format('%s, run "%s"', f.name, a.run_id)
)
from unnest(array['ack_alert', 'resolve_alert']) as f (name)
cross join alert as a;

select results_eq(
    $$
    select a.run_id collate "default" from runstore.alerts as a
    where a.acknowledged_at is not null and a.resolved_at is not null
    $$,
    $$ values ('run-1'::text) $$,
    'only its own is marked'
);
select is(
    (
        select count(*)
        from runstore.alerts as a
        where a.run_id <> 'run-1' and (a.acknowledged_at is not null or a.resolved_at is not null)
    ),
    0::bigint,
    'and no other'
);

select * from finish();
rollback;
