begin;
\ir ../_helpers/load.sql
select plan(16);

create temporary table way (name text, statement text);
insert into way values
('project_snapshot', $$ select runstore.project_snapshot('project_snapshot') $$),
('full', $$ select runstore.resync_run('full', 'FULL') $$),
('from_snapshot', $$ select runstore.resync_run('from_snapshot', 'FROM_SNAPSHOT') $$),
('project_pending', $$ select runstore.project_pending() $$);

select pg_temp.stop_clock('2026-03-01 12:00:00+00');
select pg_temp.append_types(w.name, 'RunStarted', 'StepStarted', 'StepCompleted', 'RunCompleted') from way as w;
select pg_temp.lose(w.name, 2) from way as w;
select runstore.project_pending();
select pg_temp.bring_back(w.name, 2) from way as w;

create temporary table early as
select w.name, pg_temp.outcome(w.statement) as outcome from way as w where w.name <> 'project_pending';
select pg_temp.stop_clock('2026-03-01 12:00:02+00');
select runstore.project_pending();

select is(
    runstore.get_snapshot(w.name) - array['stale', 'projectedAt'], runstore.replay_snapshot(w.name), w.name
)
from way as w;
select is(
    jsonb_build_array(s.j -> 'status', s.j -> 'lastEventSeq', s.j -> 'stale'),
    '["COMPLETED", 4, false]'::jsonb,
    format('%s: at its end', w.name)
)
from way as w
cross join lateral runstore.get_snapshot(w.name) as s (j);
select is(
    jsonb_build_array(a.count, a.resolved_at),
    jsonb_build_array(
        1,
        case w.name
            when 'project_pending' then '2026-03-01 12:00:02+00'::timestamptz else '2026-03-01 12:00:00+00'
        end
    ),
    format('%s: the alert is closed', w.name)
)
from way as w
left join runstore.alerts as a on w.name = a.run_id;
select is_empty(
    format('select from runstore.due_runs where run_id = %L', w.name), format('%s: nothing is left to do', w.name)
)
from way as w;

select * from finish();
rollback;
