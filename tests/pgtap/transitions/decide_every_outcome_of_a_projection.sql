-- Every event at every state of its machine, folded in one go and with a projection before it.
begin;
\ir ../_helpers/load.sql
select plan(153);

create temporary table path (machine text, status text, event_types text[]);
insert into path values
('RUN', 'PENDING', '{Custom}'), ('RUN', 'APPROVED', '{RunApproved}'), ('RUN', 'RUNNING', '{RunStarted}'),
('RUN', 'PAUSED', '{RunStarted,RunPaused}'), ('RUN', 'COMPLETED', '{RunStarted,RunCompleted}'),
('RUN', 'FAILED', '{RunFailed}'), ('RUN', 'CANCELLED', '{RunCancelled}'),
('STEP', 'PENDING', '{Custom}'), ('STEP', 'RUNNING', '{StepStarted}'), ('STEP', 'SUCCESS', '{StepCompleted}'),
('STEP', 'FAILED', '{StepStarted,StepFailed}'), ('STEP', 'SKIPPED', '{StepSkipped}');

create temporary table outcome as
select
    format('%s at %s, %s', x.event_type, s.status, m.mode) as run_id, s.machine, s.status as from_status, m.mode,
    x.event_type, p.event_types, t.to_status, x.target_status
from runstore.statuses as s
left join path as p on s.machine = p.machine and s.status = p.status
inner join runstore.event_effects as x on s.machine = x.machine
left join runstore.transitions as t
    on x.machine = t.machine and x.event_type = t.event_type and s.status = t.from_status
cross join unnest(array['in one go', 'step by step']) as m (mode);

select pg_temp.append_types(o.run_id, variadic o.event_types) from outcome as o;
select runstore.project_snapshot(o.run_id) from outcome as o where o.mode = 'step by step';
select pg_temp.append_types(o.run_id, o.event_type) from outcome as o;
select runstore.project_pending(1000);

select is(
    jsonb_build_array(
        case o.machine when 'RUN' then s.j ->> 'status' else coalesce(s.j #>> '{steps,0,status}', 'PENDING') end,
        s.j -> 'consistency',
        (
            select jsonb_agg(jsonb_build_array(a.run_seq, a.details -> 'priorState', a.details -> 'attemptedState'))
            from runstore.alerts as a
            where a.run_id = o.run_id
        )
    ),
    case
        when o.to_status is not null then jsonb_build_array(o.to_status, 'CONSISTENT', null)
        else jsonb_build_array(
            o.from_status, 'INCONSISTENT',
            jsonb_build_array(jsonb_build_array(cardinality(o.event_types) + 1, o.from_status, o.target_status))
        )
    end,
    o.run_id
)
from outcome as o
cross join lateral runstore.get_snapshot(o.run_id) as s (j);
select is((select count(*) from outcome as o where o.event_types is null), 0::bigint, 'there is a way to every state');

select * from finish();
rollback;
