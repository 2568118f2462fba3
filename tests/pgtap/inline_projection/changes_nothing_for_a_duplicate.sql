begin;
\ir ../_helpers/load.sql
select plan(5);

select runstore.set_config_value('projection_mode', 'inline');
select pg_temp.append();
select pg_temp.append('{"eventType": "RunPaused"}');
create temporary table before as select pg_temp.contents() as contents;

select is(pg_temp.outcome(c.statement), '{}', format('%s form', c.form)) from pg_temp.calls(pg_temp.event()) as c;
select is(pg_temp.contents(), b.contents, 'neither version nor time of the snapshot') from before as b;

select * from finish();
rollback;
