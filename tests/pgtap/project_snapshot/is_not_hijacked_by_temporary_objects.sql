begin;
\ir ../_helpers/load.sql
select plan(8);

select pg_temp.append_types('run-1', 'RunStarted', 'RunStarted', 'StepStarted', 'StepCompleted', 'RunCompleted');

create temporary table run_events (like runstore.run_events including all);
create temporary table run_states (like runstore.run_states including all);
create temporary table run_steps (like runstore.run_steps including all);
create temporary table due_runs (like runstore.due_runs including all);
create temporary table transitions (like runstore.transitions);
create temporary table event_effects (like runstore.event_effects);
create temporary table statuses (like runstore.statuses);
create temporary table config as select c.* from runstore.config as c;
create function pg_temp.clock() returns timestamptz language sql return '1999-01-01'::timestamptz;
create function pg_temp.walk(text, text) returns text language sql return 'X'::text;
create function pg_temp.get_snapshot(text) returns jsonb language sql return '{}'::jsonb;
create function pg_temp.format(text, variadic text[]) returns text language sql return 'evil';
create function pg_temp.floor(numeric) returns numeric language sql return 666::numeric;
create function pg_temp.to_char(timestamp, text) returns text language sql return 'evil'::text;
create function pg_temp.count(bigint) returns bigint language sql return 666::bigint;

set local search_path = pg_temp, tap, public, pg_catalog;
create temporary table answer as
select 'project_pending' as name, to_jsonb(runstore.project_pending()) as answer;
insert into answer
select 'check_health', runstore.check_health() -> 'dueRuns'
union all
select 'project_snapshot', runstore.project_snapshot('run-1') -> 'status'
union all
select 'resync_run', runstore.resync_run('run-1') -> 'steps' -> 0 -> 'status'
union all
select 'get_snapshot', runstore.get_snapshot('run-1') -> 'lastEventSeq'
union all
select 'replay_snapshot', runstore.replay_snapshot('run-1') -> 'totalDurationMs'
union all
select 'list_runs', (select to_jsonb(r.status) from runstore.list_runs() as r)
union all
select 'detect_gap', to_jsonb(runstore.detect_gap(1, 3));
set local search_path = tap, public;

select is(a.answer, e.answer, e.name)
from (values
    ('project_pending', '1'::jsonb), ('check_health', '0'), ('project_snapshot', '"COMPLETED"'),
    ('resync_run', '"SUCCESS"'), ('get_snapshot', '5'), ('replay_snapshot', '0'), ('list_runs', '"COMPLETED"'),
    ('detect_gap', 'true')
) as e (name, answer)
left join answer as a on e.name = a.name;

select * from finish();
rollback;
