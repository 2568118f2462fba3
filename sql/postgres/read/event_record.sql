create type runstore.event_record as (
    run_id text,
    run_seq bigint,
    event_id uuid,
    event_type text,
    step_id text,
    engine_attempt_id int,
    logical_attempt_id int,
    tenant_id text,
    project_id text,
    environment_id text,
    plan_id text,
    plan_version text,
    idempotency_key text,
    payload jsonb,
    emitted_at timestamptz,
    persisted_at timestamptz,
    adapter_version text,
    engine_run_ref jsonb,
    caused_by_signal_id uuid,
    parent_event_id uuid
);

comment on type runstore.event_record is 'One stored event, as readers get it.';
comment on column runstore.event_record.run_id is 'The run.';
comment on column runstore.event_record.run_seq is 'Position in the run: 1, 2, 3, ... without a gap, in commit order.';
comment on column runstore.event_record.event_id is 'Id of the event, unique within the run.';
comment on column runstore.event_record.event_type is 'What happened.';
comment on column runstore.event_record.step_id is 'The step that the event is about; null when it is about the run.';
comment on column runstore.event_record.engine_attempt_id is 'Attempt counted by the platform, from 1.';
comment on column runstore.event_record.logical_attempt_id is 'Attempt counted by the business, from 1.';
comment on column runstore.event_record.tenant_id is 'Tenant of the run.';
comment on column runstore.event_record.project_id is 'Project of the run.';
comment on column runstore.event_record.environment_id is 'Environment of the run.';
comment on column runstore.event_record.plan_id is 'The plan that the run follows.';
comment on column runstore.event_record.plan_version is 'The version of that plan.';
comment on column runstore.event_record.idempotency_key is
'Key of the event, 64 lower-case hex digits, unique within the run.';
comment on column runstore.event_record.payload is 'What the producer had to say, a JSON object.';
comment on column runstore.event_record.emitted_at is 'The producer''s instant.';
comment on column runstore.event_record.persisted_at is 'The store''s instant; never decreases within a run.';
comment on column runstore.event_record.adapter_version is 'Version of the adapter that produced the event.';
comment on column runstore.event_record.engine_run_ref is 'How the engine itself names the run, a JSON object.';
comment on column runstore.event_record.caused_by_signal_id is 'The signal that caused the event.';
comment on column runstore.event_record.parent_event_id is 'The event that led to this one.';
