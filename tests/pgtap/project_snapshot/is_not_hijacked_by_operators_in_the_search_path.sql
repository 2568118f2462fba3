begin;
\ir ../_helpers/load.sql
select plan(7);

select pg_temp.append_types('run-1', 'RunStarted', 'RunStarted', 'StepStarted', 'StepCompleted', 'RunCompleted');

create schema evil;
create function evil.no(text, text) returns boolean language plpgsql as $$ begin raise exception 'hijacked'; end $$;
create function evil.no(bigint, bigint) returns boolean language plpgsql as $$ begin raise exception 'hijacked'; end $$;
create function evil.no(jsonb, jsonb) returns boolean language plpgsql as $$ begin raise exception 'hijacked'; end $$;
create function evil.no(timestamptz, timestamptz) returns boolean language plpgsql as $$
begin
    raise exception 'hijacked';
end
$$;
create function evil.minus(timestamptz, timestamptz) returns interval language plpgsql as $$
begin
    raise exception 'hijacked';
end
$$;
create function evil.add(text, text) returns text language plpgsql as $$ begin raise exception 'hijacked'; end $$;
create function evil.get(jsonb, text) returns jsonb language plpgsql as $$ begin raise exception 'hijacked'; end $$;
create operator evil.= (leftarg = text, rightarg = text, function = evil.no);
create operator evil.<> (leftarg = text, rightarg = text, function = evil.no);
create operator evil.< (leftarg = text, rightarg = text, function = evil.no);
create operator evil.>= (leftarg = text, rightarg = text, function = evil.no);
create operator evil.= (leftarg = bigint, rightarg = bigint, function = evil.no);
create operator evil.< (leftarg = bigint, rightarg = bigint, function = evil.no);
create operator evil.> (leftarg = bigint, rightarg = bigint, function = evil.no);
create operator evil.<= (leftarg = bigint, rightarg = bigint, function = evil.no);
create operator evil.= (leftarg = jsonb, rightarg = jsonb, function = evil.no);
create operator evil.<> (leftarg = jsonb, rightarg = jsonb, function = evil.no);
create operator evil.< (leftarg = timestamptz, rightarg = timestamptz, function = evil.no);
create operator evil.- (leftarg = timestamptz, rightarg = timestamptz, function = evil.minus);
create operator evil.|| (leftarg = text, rightarg = text, function = evil.add);
create operator evil.-> (leftarg = jsonb, rightarg = text, function = evil.get);

set local search_path = evil, pg_catalog;
create temporary table answer as
select 'project_pending' as name, to_jsonb(runstore.project_pending()) as answer;
insert into answer
select 'check_health', runstore.check_health()
union all
select 'project_snapshot', runstore.project_snapshot('run-1')
union all
select 'resync_run', runstore.resync_run('run-1')
union all
select 'get_snapshot', runstore.get_snapshot('run-1')
union all
select 'replay_snapshot', runstore.replay_snapshot('run-1')
union all
select 'list_runs', (select to_jsonb(r) from runstore.list_runs() as r);
set local search_path = tap, public;

select isnt(a.answer, null, e.name)
from unnest(array[
    'project_pending', 'check_health', 'project_snapshot', 'resync_run', 'get_snapshot', 'replay_snapshot', 'list_runs'
]) as e (name)
left join answer as a on e.name = a.name;

select * from finish();
rollback;
