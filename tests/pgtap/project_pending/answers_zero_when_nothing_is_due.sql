begin;
\ir ../_helpers/load.sql
select plan(2);

create temporary table before as select pg_temp.contents() as contents;
select is(runstore.project_pending(), 0::bigint, 'an empty store');
select is(pg_temp.contents(), b.contents, 'stays empty') from before as b;

select * from finish();
rollback;
