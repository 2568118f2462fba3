create table runstore.run_events (
    run_seq bigint not null,
    emitted_at timestamptz not null,
    persisted_at timestamptz not null,
    engine_attempt_id int not null,
    logical_attempt_id int not null,
    event_id uuid not null,
    run_id text collate "C" not null,
    idempotency_key bytea not null,
    event_type text collate "C" not null,
    plan_id text collate "C" not null,
    plan_version text collate "C" not null,
    step_id text collate "C",
    payload jsonb,
    adapter_version text collate "C",
    engine_run_ref jsonb,
    caused_by_signal_id uuid,
    parent_event_id uuid,
    constraint run_events_pkey primary key (run_id, run_seq),
    constraint run_events_idempotency_key_key unique (run_id, idempotency_key),
    constraint run_events_event_id_key unique (run_id, event_id)
);

-- Three indexes begin with run_id. Where the planner takes runs for single events, all three look alike to it, and a
-- probe for a key could read a whole run through another index. Told that runs are long, it takes the one that fits.
alter table runstore.run_events alter column run_id set (n_distinct = -0.01);

create index run_events_signals on runstore.run_events (run_id, persisted_at)
where event_type in ('SignalAccepted', 'SignalRejected');

comment on table runstore.run_events is
'The log: one row per event, written once. Tenant, project and environment stand on the run''s row in run_counters.';
comment on column runstore.run_events.run_seq is 'Position in the run: 1, 2, 3, ... without a gap, in commit order.';
comment on column runstore.run_events.emitted_at is 'The producer''s instant.';
comment on column runstore.run_events.persisted_at is
'The store''s instant, read under the run''s lock; never decreases within a run.';
comment on column runstore.run_events.engine_attempt_id is 'Attempt counted by the platform, from 1.';
comment on column runstore.run_events.logical_attempt_id is 'Attempt counted by the business, from 1.';
comment on column runstore.run_events.event_id is 'UUID v4, unique within the run.';
comment on column runstore.run_events.run_id is 'The run.';
comment on column runstore.run_events.idempotency_key is 'SHA-256, 32 octets, unique within the run.';
comment on column runstore.run_events.event_type is 'What happened.';
comment on column runstore.run_events.plan_id is 'The plan that the run follows.';
comment on column runstore.run_events.plan_version is 'The version of that plan.';
comment on column runstore.run_events.step_id is 'The step that the event is about; null when it is about the run.';
comment on column runstore.run_events.payload is 'What the producer has to say, a JSON object.';
comment on column runstore.run_events.adapter_version is 'Version of the adapter that produced the event.';
comment on column runstore.run_events.engine_run_ref is 'How the engine itself names the run, a JSON object.';
comment on column runstore.run_events.caused_by_signal_id is 'The signal that caused the event.';
comment on column runstore.run_events.parent_event_id is 'The event that led to this one.';
comment on index runstore.run_events_pkey is 'One event per run and sequence number; reading in order.';
comment on index runstore.run_events_idempotency_key_key is 'One event per run and idempotency key, ever.';
comment on index runstore.run_events_event_id_key is 'One event per run and event id.';
comment on index runstore.run_events_signals is 'The signals of a run by time, for the limit per minute.';
