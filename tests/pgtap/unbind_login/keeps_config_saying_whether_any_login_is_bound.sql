begin;
\ir ../_helpers/load.sql
select plan(6);

select pg_temp.make_login('one');
select pg_temp.make_login('two');

select is(c.any_login_is_bound, false, 'none') from runstore.config as c;
select runstore.bind_login('one', 'tenant-1');
select is(c.any_login_is_bound, true, 'one') from runstore.config as c;
select runstore.bind_login('two', 'tenant-1');
select is(c.any_login_is_bound, true, 'two') from runstore.config as c;
select runstore.unbind_login('one', 'tenant-1');
select is(c.any_login_is_bound, true, 'one again') from runstore.config as c;
select runstore.unbind_login('two', 'tenant-1');
select is(c.any_login_is_bound, false, 'none again') from runstore.config as c;
select runstore.bind_login('one', 'tenant-1');
select is(c.any_login_is_bound, true, 'and one anew') from runstore.config as c;

select * from finish();
rollback;
