begin;
\ir ../_helpers/load.sql
select plan(1);

select pg_temp.append(jsonb_build_object('idempotencyKey', pg_temp.key(1)));
savepoint conflict;
select pg_temp.append(jsonb_build_object('idempotencyKey', pg_temp.key(1), 'eventType', 'RunFailed'));
rollback to savepoint conflict;

select is((select count(*) from runstore.alerts), 0::bigint);

select * from finish();
rollback;
