-- Every stored event with the columns of event_record: what exports read. A login that is bound to tenants sees its
-- tenants' runs only. For one run's events in order, call fetch_events().
create view runstore.run_event_records with (security_barrier = true) as
select
    e.run_id,
    e.run_seq,
    e.event_id,
    e.event_type,
    e.step_id,
    e.engine_attempt_id,
    e.logical_attempt_id,
    r.tenant_id,
    r.project_id,
    r.environment_id,
    e.plan_id,
    e.plan_version,
    pg_catalog.encode(e.idempotency_key, 'hex') as idempotency_key,
    e.payload,
    e.emitted_at,
    e.persisted_at,
    e.adapter_version,
    e.engine_run_ref,
    e.caused_by_signal_id,
    e.parent_event_id
from runstore.run_events as e
inner join runstore.run_counters as r on e.run_id = r.run_id
cross join runstore.session_tenants as s
where s.tenants is null or r.tenant_id = any(s.tenants);

comment on view runstore.run_event_records is 'Every stored event, with the columns of event_record.';
comment on column runstore.run_event_records.run_id is 'The run.';
comment on column runstore.run_event_records.run_seq is
'Position in the run: 1, 2, 3, ... without a gap, in commit order.';
comment on column runstore.run_event_records.event_id is 'Id of the event, unique within the run.';
comment on column runstore.run_event_records.event_type is 'What happened.';
comment on column runstore.run_event_records.step_id is
'The step that the event is about; null when it is about the run.';
comment on column runstore.run_event_records.engine_attempt_id is 'Attempt counted by the platform, from 1.';
comment on column runstore.run_event_records.logical_attempt_id is 'Attempt counted by the business, from 1.';
comment on column runstore.run_event_records.tenant_id is 'Tenant of the run.';
comment on column runstore.run_event_records.project_id is 'Project of the run.';
comment on column runstore.run_event_records.environment_id is 'Environment of the run.';
comment on column runstore.run_event_records.plan_id is 'The plan that the run follows.';
comment on column runstore.run_event_records.plan_version is 'The version of that plan.';
comment on column runstore.run_event_records.idempotency_key is
'Key of the event, 64 lower-case hex digits, unique within the run.';
comment on column runstore.run_event_records.payload is 'What the producer had to say, a JSON object.';
comment on column runstore.run_event_records.emitted_at is 'The producer''s instant.';
comment on column runstore.run_event_records.persisted_at is 'The store''s instant; never decreases within a run.';
comment on column runstore.run_event_records.adapter_version is 'Version of the adapter that produced the event.';
comment on column runstore.run_event_records.engine_run_ref is 'How the engine itself names the run, a JSON object.';
comment on column runstore.run_event_records.caused_by_signal_id is 'The signal that caused the event.';
comment on column runstore.run_event_records.parent_event_id is 'The event that led to this one.';

grant select on runstore.run_event_records to runstore_reader, runstore_worker, runstore_admin;
