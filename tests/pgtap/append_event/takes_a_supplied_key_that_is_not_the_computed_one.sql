begin;
\ir ../_helpers/load.sql
select plan(2);

select is((pg_temp.append(jsonb_build_object('idempotencyKey', pg_temp.key(1)))).persisted, true, 'supplied');
select is((pg_temp.append()).persisted, true, 'computed');

select * from finish();
rollback;
