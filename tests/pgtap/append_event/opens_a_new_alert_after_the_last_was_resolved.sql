begin;
\ir ../_helpers/load.sql
select plan(1);

select pg_temp.append(jsonb_build_object('idempotencyKey', pg_temp.key(1)));
select pg_temp.append(jsonb_build_object('idempotencyKey', pg_temp.key(1), 'eventType', 'RunFailed'));
select pg_temp.append(jsonb_build_object('idempotencyKey', pg_temp.key(1), 'eventType', 'RunFailed'));
select runstore.resolve_alert(a.alert_id) from runstore.alerts as a;
select pg_temp.append(jsonb_build_object('idempotencyKey', pg_temp.key(1), 'eventType', 'RunFailed'));

select results_eq(
    $$ select a.count, a.resolved_at is null from runstore.alerts as a order by a.resolved_at nulls last $$,
    $$ values (2::bigint, false), (1, true) $$
);

select * from finish();
rollback;
