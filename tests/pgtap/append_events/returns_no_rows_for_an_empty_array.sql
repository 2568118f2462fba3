begin;
\ir ../_helpers/load.sql
select plan(1);

select is_empty($$ select * from runstore.append_events('[]') $$);

select * from finish();
rollback;
