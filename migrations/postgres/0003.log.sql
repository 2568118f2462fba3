-- The log, its counters, and the guard that keeps it append-only.
-- depends: 0002.alerts

create table runstore.run_counters (
    last_seq bigint not null,
    last_persisted_at timestamptz not null,
    run_id text collate "C" not null,
    tenant_id text collate "C" not null,
    project_id text collate "C" not null,
    environment_id text collate "C" not null,
    constraint run_counters_pkey primary key (run_id)
) with (fillfactor = 80);

comment on table runstore.run_counters is
'One row per run: whose it is, and where its log ends. An append locks this row until its transaction ends: it '
'is the run''s lock, and what makes commit order the order of run_seq.';
comment on column runstore.run_counters.last_seq is 'run_seq of the run''s last event.';
comment on column runstore.run_counters.last_persisted_at is 'persisted_at of the run''s last event.';
comment on column runstore.run_counters.run_id is 'The run.';
comment on column runstore.run_counters.tenant_id is 'Tenant of the run, fixed by its first event.';
comment on column runstore.run_counters.project_id is 'Project of the run, fixed by its first event.';
comment on column runstore.run_counters.environment_id is 'Environment of the run, fixed by its first event.';
comment on index runstore.run_counters_pkey is 'One row per run.';

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

-- Trigger function of the append-only guard: refuses UPDATE, DELETE and TRUNCATE of the log, whoever asks. Raises
-- RS009 before any row is touched. Security definer, so that the refusal reads the same for every role.
create function runstore.refuse_log_change()
returns trigger
language plpgsql volatile security definer
set search_path = pg_catalog, pg_temp
as $$
begin
    perform runstore.raise_error(
        'RS009',
        format('%s of %I.%I is refused: events are never changed', tg_op, tg_table_schema, tg_table_name),
        'Append a correcting event instead.'
    );
    return null;
end
$$;

comment on function runstore.refuse_log_change() is
'Trigger function: refuses UPDATE, DELETE and TRUNCATE of the log with RS009.';

revoke all on function runstore.refuse_log_change() from public;

create trigger run_events_guard
before update or delete or truncate on runstore.run_events
for each statement execute function runstore.refuse_log_change();

comment on trigger run_events_guard on runstore.run_events is
'Keeps the log append-only for everyone, the owner and replication sessions included.';

alter table runstore.run_events enable always trigger run_events_guard;
