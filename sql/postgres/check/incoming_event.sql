create type runstore.incoming_event as (
    index int,
    nth bigint,
    fault text,
    is_signal boolean,
    run_id text,
    event_type text,
    emitted_at timestamptz,
    tenant_id text,
    project_id text,
    environment_id text,
    plan_id text,
    plan_version text,
    engine_attempt_id int,
    logical_attempt_id int,
    idempotency_key bytea,
    event_id uuid,
    step_id text,
    payload jsonb,
    adapter_version text,
    engine_run_ref jsonb,
    caused_by_signal_id uuid,
    parent_event_id uuid
);

comment on type runstore.incoming_event is 'One event of a batch, read from its JSON form. Internal.';
comment on column runstore.incoming_event.index is 'Place in the batch, from 0.';
comment on column runstore.incoming_event.nth is 'Place among the events of its run in the batch, from 1.';
comment on column runstore.incoming_event.fault is 'Rule of event_rules that the event breaks by itself, or null.';
comment on column runstore.incoming_event.is_signal is 'Whether the signal limits apply.';
comment on column runstore.incoming_event.run_id is 'As in run_events.';
comment on column runstore.incoming_event.event_type is 'As in run_events.';
comment on column runstore.incoming_event.emitted_at is 'As in run_events.';
comment on column runstore.incoming_event.tenant_id is 'As in run_counters.';
comment on column runstore.incoming_event.project_id is 'As in run_counters.';
comment on column runstore.incoming_event.environment_id is 'As in run_counters.';
comment on column runstore.incoming_event.plan_id is 'As in run_events.';
comment on column runstore.incoming_event.plan_version is 'As in run_events.';
comment on column runstore.incoming_event.engine_attempt_id is 'As in run_events.';
comment on column runstore.incoming_event.logical_attempt_id is 'As in run_events.';
comment on column runstore.incoming_event.idempotency_key is 'The supplied key, or the computed one.';
comment on column runstore.incoming_event.event_id is 'The supplied id, or a fresh one.';
comment on column runstore.incoming_event.step_id is 'As in run_events.';
comment on column runstore.incoming_event.payload is 'As in run_events.';
comment on column runstore.incoming_event.adapter_version is 'As in run_events.';
comment on column runstore.incoming_event.engine_run_ref is 'As in run_events.';
comment on column runstore.incoming_event.caused_by_signal_id is 'As in run_events.';
comment on column runstore.incoming_event.parent_event_id is 'As in run_events.';
