begin;
\ir ../_helpers/load.sql
select plan(2);

select pg_temp.append(jsonb_build_object('idempotencyKey', repeat('AB', 32)));
select pg_temp.append('{"eventType": "RunPaused"}');

select is(e.idempotency_key, repeat('ab', 32), 'a supplied one') from runstore.fetch_events('run-1', 0, 1) as e;
select matches(e.idempotency_key, '^[0-9a-f]{64}$', 'a computed one') from runstore.fetch_events('run-1', 1) as e;

select * from finish();
rollback;
