begin;
\ir ../_helpers/load.sql
select plan(1);

select pg_temp.append(jsonb_build_object('idempotencyKey', pg_temp.key(1)));
select pg_temp.append(jsonb_build_object('idempotencyKey', pg_temp.key(1), 'eventType', 'RunFailed'));
select runstore.ack_alert(a.alert_id) from runstore.alerts as a;
select pg_temp.append(jsonb_build_object('idempotencyKey', pg_temp.key(1), 'eventType', 'RunFailed'));

select results_eq(
    'select a.count, a.acknowledged_at is not null from runstore.alerts as a', 'values (2::bigint, true)'
);

select * from finish();
rollback;
