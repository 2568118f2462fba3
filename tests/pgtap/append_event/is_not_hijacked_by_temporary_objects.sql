begin;
\ir ../_helpers/load.sql
select plan(7);

create temporary table run_events (like runstore.run_events including all);
create temporary table run_counters (like runstore.run_counters including all);
create temporary table config as select c.* from runstore.config as c;
create temporary table event_types (event_type text, step_rule text, is_signal boolean);
create temporary table error_codes (code text, name text);
create function pg_temp.clock() returns timestamptz language sql return '1999-01-01'::timestamptz;
create function pg_temp.gen_random_uuid() returns uuid language sql return pg_temp.id(666);
create function pg_temp.sha256(bytea) returns bytea language sql return '\x00'::bytea;
create function pg_temp.length(text) returns int language sql return 1;
create function pg_temp.coalesce(text, text) returns text language sql return 'evil';
create function pg_temp.format(text, variadic text[]) returns text language sql return 'evil';
create function pg_temp.concat(variadic text[]) returns text language sql return 'evil';

set local search_path = pg_temp, tap, public, pg_catalog;

create temporary table answer as
select c.form, pg_temp.rows_for(session_user, replace(c.statement, 'run-1', c.form)) as rows
from pg_temp.calls(pg_temp.event()) as c;

create temporary table refusal as
select pg_temp.outcome(c.statement) as outcome from pg_temp.calls(pg_temp.event('{"planId": ""}')) as c;

set local search_path = tap, public;

select is(a.rows #> '{0, persisted}', 'true'::jsonb, format('%s form', a.form)) from answer as a;
select is(
    (
        select count(*)
        from runstore.run_events as e
        where e.persisted_at > '2020-01-01' and e.event_id <> pg_temp.id(666)
    ),
    4::bigint,
    'the log has the events'
);
select is((select count(*) from pg_temp.run_events), 0::bigint, 'the temporary table has none');
select is(
    (select count(*) from refusal as r where r.outcome ->> 'code' = 'RS001'), 4::bigint, 'refusals are as always'
);

select * from finish();
rollback;
