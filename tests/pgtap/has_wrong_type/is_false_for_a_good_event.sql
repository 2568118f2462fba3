begin;
\ir ../_helpers/load.sql
select plan(2);

select is(runstore.has_wrong_type(pg_temp.event()), false, 'a good event');
select is(runstore.has_wrong_type('{}'), false, 'an empty one');

select * from finish();
rollback;
