-- Every event at every state of its machine, in turn in each of the four forms.
begin;
\ir ../_helpers/load.sql
select plan(77);

create temporary table path (machine text, status text, event_types text[]);
insert into path values
('RUN', 'PENDING', '{Custom}'), ('RUN', 'APPROVED', '{RunApproved}'), ('RUN', 'RUNNING', '{RunStarted}'),
('RUN', 'PAUSED', '{RunStarted,RunPaused}'), ('RUN', 'COMPLETED', '{RunStarted,RunCompleted}'),
('RUN', 'FAILED', '{RunFailed}'), ('RUN', 'CANCELLED', '{RunCancelled}'),
('STEP', 'PENDING', '{Custom}'), ('STEP', 'RUNNING', '{StepStarted}'), ('STEP', 'SUCCESS', '{StepCompleted}'),
('STEP', 'FAILED', '{StepStarted,StepFailed}'), ('STEP', 'SKIPPED', '{StepSkipped}');

create temporary table outcome as
select
    format('%s at %s', x.event_type, s.status) as run_id, s.machine, s.status as from_status, x.event_type,
    p.event_types, t.to_status, row_number() over () as nth
from runstore.statuses as s
left join path as p on s.machine = p.machine and s.status = p.status
inner join runstore.event_effects as x on s.machine = x.machine
left join runstore.transitions as t
    on x.machine = t.machine and x.event_type = t.event_type and s.status = t.from_status;

select runstore.set_config_value('projection_mode', 'inline');
select runstore.set_config_value('enforce_transitions', 'true');
select pg_temp.append_types(o.run_id, variadic o.event_types) from outcome as o;

select is(
    pg_temp.outcome(c.statement) - array['expected', 'index'],
    case
        when o.to_status is not null then '{}'
        else jsonb_build_object('code', 'RS004', 'field', 'eventType', 'value', o.event_type)
    end,
    format('%s, %s form', o.run_id, c.form)
)
from outcome as o
cross join lateral pg_temp.calls(pg_temp.event(jsonb_build_object(
    'runId', o.run_id, 'eventType', o.event_type, 'stepId', case o.machine when 'STEP' then 'load' end,
    'idempotencyKey', pg_temp.key(0)
))) as c
where c.form = (array['named', 'positional', 'json', 'batch'])[1 + o.nth % 4];
select is((select count(*) from outcome as o where o.event_types is null), 0::bigint, 'there is a way to every state');

select * from finish();
rollback;
