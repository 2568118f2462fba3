begin;
select plan(1);

select matches(runstore.version(), '^[0-9]+\.[0-9]+\.[0-9]+', 'as the package has');

select * from finish();
rollback;
