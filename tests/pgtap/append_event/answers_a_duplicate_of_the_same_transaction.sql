begin;
\ir ../_helpers/load.sql
select plan(2);

select is((pg_temp.append()).persisted, true, 'first');
select is((pg_temp.append()).idempotent, true, 'again');

select * from finish();
rollback;
