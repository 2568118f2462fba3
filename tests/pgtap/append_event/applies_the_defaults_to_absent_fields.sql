begin;
\ir ../_helpers/load.sql
select plan(20);

create temporary table appended as
select v.run_id, c.form, c.statement
from (values
    ('absent', '{}'::jsonb),
    (
        'null',
        '{
            "engineAttemptId": null, "logicalAttemptId": null, "idempotencyKey": null, "eventId": null,
            "stepId": null, "payload": null, "adapterVersion": null, "engineRunRef": null,
            "causedBySignalId": null, "parentEventId": null
        }'
    )
) as v (run_id, changes)
cross join (values ('named'), ('positional'), ('json'), ('batch')) as f (form)
cross join lateral pg_temp.calls(
    pg_temp.event(v.changes || jsonb_build_object('runId', v.run_id || ' ' || f.form))
) as c
where c.form = f.form;

select is(pg_temp.outcome(a.statement), '{}', format('%s, %s form', a.run_id, a.form)) from appended as a;

select is(
    jsonb_strip_nulls(
        to_jsonb(e) - array[
            'run_id', 'event_id', 'emitted_at', 'persisted_at', 'tenant_id', 'project_id', 'environment_id',
            'plan_id', 'plan_version'
        ]
    ),
    jsonb_build_object(
        'run_seq', 1, 'event_type', 'RunStarted', 'engine_attempt_id', 1, 'logical_attempt_id', 1,
        'idempotency_key', runstore.idempotency_key(e.run_id, null, 1, 'RunStarted', 'plan-1', '1')
    ),
    format('what is stored of %s', e.run_id)
)
from runstore.run_event_records as e;

select matches(
    e.event_id::text,
    '^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$',
    'the made event id is a UUID v4'
)
from runstore.run_event_records as e
where e.run_id like 'null %';

select * from finish();
rollback;
