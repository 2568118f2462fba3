-- What a login makes in its own temporary schema must not run with the owner's rights.
begin;
\ir ../_helpers/load.sql
select plan(4);

select pg_temp.make_login('writing_login', 'runstore_writer');

create function pg_temp.take_over() returns boolean language plpgsql as $$
begin
    if current_user <> session_user then
        raise exception 'runs as %', current_user;
    end if;
    return true;
end
$$;
create function pg_temp.length(text) returns int language sql as 'select 1 where pg_temp.take_over()';
create function pg_temp.clock() returns timestamptz language sql as 'select now() where pg_temp.take_over()';
create function pg_temp.raise_error(text, text, text) returns void language sql as 'select pg_temp.take_over()';
set local search_path = pg_temp, tap, public;

create temporary table result as
select c.form, pg_temp.error(c.statement, 'writing_login') as error from pg_temp.calls(pg_temp.event()) as c;

set local search_path = tap, public;
select is(r.error, null, format('%s form', r.form)) from result as r;

select * from finish();
rollback;
