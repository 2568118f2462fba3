-- Every event with nothing in it, and with JSON null for what a snapshot would take.
begin;
\ir ../_helpers/load.sql
select plan(24);

select pg_temp.append(
    jsonb_build_object('runId', x.event_type || p.name, 'eventType', x.event_type, 'payload', p.payload)
    || case x.machine when 'STEP' then '{"stepId": "load"}'::jsonb else '{}' end
)
from runstore.event_effects as x
cross join (values
    ('', null::jsonb), (' with nulls', '{"error": null, "reason": null, "output": null}')
) as p (name, payload);
select runstore.project_pending();

select ok(
    not runstore.get_snapshot(r.run_id) @? '$.** ? (@ == null)'
    and not runstore.get_snapshot(r.run_id) @? '$.** ? (exists (@.error) || exists (@.reason))',
    r.run_id
)
from runstore.run_counters as r;

select * from finish();
rollback;
