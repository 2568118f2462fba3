-- Over a grid of types, steps, payloads, references and identifiers, absent ones and ones with a bar included.
begin;
\ir ../_helpers/load.sql
select plan(3);

create temporary table judged as
select
    t.event_type, s.step_id, p.payload, r.engine_run_ref, i.run_id, i.tenant_id, i.project_id, i.environment_id,
    i.plan_id, i.plan_version, i.adapter_version,
    runstore.looks_ordinary(
        concat(
            i.run_id, '|', t.event_type, '|', i.tenant_id, '|', i.project_id, '|', i.environment_id, '|', i.plan_id,
            '|', i.plan_version, '|', coalesce(s.step_id, '-'), '|', coalesce(i.adapter_version, '-')
        ),
        t.event_type, '2026-01-01 00:00:00+00', 1, 1, '\x00', pg_temp.id(1), s.step_id, p.payload, r.engine_run_ref,
        1000
    ) as is_ordinary,
    runstore.event_fault(
        i.run_id, t.event_type, '2026-01-01 00:00:00+00', i.tenant_id, i.project_id, i.environment_id, i.plan_id,
        i.plan_version, 1, 1, null, pg_temp.id(1), s.step_id, p.payload, i.adapter_version, r.engine_run_ref,
        e.step_rule, e.is_signal, 1000, 500
    ) as fault
from (
    select e.event_type from runstore.event_types as e
    union all
    values
    ('Custom'), ('RunCustom'), ('StepCustom'), ('Run'), ('Step'), ('Run|Started'), ('Step|Started'), (''), (null),
    (repeat('R', 256)), ('RunÄ' || repeat('x', 252))
) as t (event_type)
cross join (values (null), ('load'), ('RUN'), (''), ('a|b'), ('-'), (repeat('s', 256))) as s (step_id)
cross join (values
    (null::jsonb), ('{}'), ('{"a": 1}'), ('[]'), ('"x"'), ('null'), ('{"artifactRefs": []}'), ('{"artifactRefs": 1}'),
    ('{"artifactRefs": [{"uri": "data:", "kind": "k"}]}'), (jsonb_build_object('a', repeat('x', 600))),
    (jsonb_build_object('a', repeat('x', 1000)))
) as p (payload)
cross join (values (null::jsonb), ('{}'), ('[]')) as r (engine_run_ref)
cross join (values
    ('r', 't', 'p', 'e', 'plan', '1', null),
    ('r', 't', 'p', 'e', 'plan', '1', '2'),
    ('r', 't', 'p', 'e', 'plan', '1', 'a|b'),
    ('r', 't', 'p', 'e', 'plan', '1', ''),
    ('', 't', 'p', 'e', 'plan', '1', null),
    ('r', 't', 'p', 'e', 'plan', '', null),
    ('r|', 't', 'p', 'e', 'plan', '1', null),
    ('r|r', null, 'p', 'e', 'plan', '1', null),
    ('r', null, 'p', 'e', 'plan', '1', null),
    ('r', 't', null, 'e', 'plan', '1', 'a|b'),
    ('r', 't', 'p', null, 'pl|an', '1', null),
    (null, 't|t', 'p', 'e', 'plan', '1', null),
    ('r', 't', 'p', 'e', null, '1|1', null),
    ('r', 't', 'p', 'e|e', 'plan', null, null),
    (repeat('r', 256), 't', 'p', 'e', 'plan', '1', null)
) as i (run_id, tenant_id, project_id, environment_id, plan_id, plan_version, adapter_version)
left join runstore.event_types as e on t.event_type = e.event_type;

select cmp_ok((select count(*) from judged), '>', 80000::bigint, 'the grid is large');
select cmp_ok(
    (select count(*) from judged as j where j.is_ordinary), '>', 100::bigint, 'and has ordinary events'
);
select is_empty(
    $$
    select
        j.fault, j.event_type, j.step_id, j.run_id, j.tenant_id, j.project_id, j.environment_id, j.plan_id,
        j.plan_version, j.adapter_version
    from judged as j
    where j.is_ordinary and j.fault is not null
    limit 5
    $$,
    'none of which has a fault'
);

select * from finish();
rollback;
