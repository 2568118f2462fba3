begin;
\ir ../_helpers/load.sql
select plan(8);

create temporary table call as
select c.form, c.statement
from (values ('named'), ('positional'), ('json'), ('batch')) as f (form)
cross join lateral (
    select jsonb_object_agg(n.field, repeat('😀', 255)) as changes
    from unnest(array[
        'eventType', 'tenantId', 'projectId', 'environmentId', 'planId', 'planVersion', 'stepId', 'adapterVersion'
    ]) as n (field)
) as e
cross join lateral pg_temp.calls(
    pg_temp.event(e.changes || jsonb_build_object('runId', f.form || repeat('é', 255 - length(f.form))))
) as c
where c.form = f.form;

select is(pg_temp.outcome(c.statement), '{}', format('%s form', c.form)) from call as c;

select is(
    jsonb_build_array(
        length(e.run_id), length(e.event_type), length(e.tenant_id), length(e.project_id), length(e.environment_id),
        length(e.plan_id), length(e.plan_version), length(e.step_id), length(e.adapter_version)
    ),
    '[255, 255, 255, 255, 255, 255, 255, 255, 255]',
    left(e.run_id, 10)
)
from runstore.run_event_records as e;

select * from finish();
rollback;
