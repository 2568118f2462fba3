create table runstore.run_states (
    last_event_seq bigint not null,
    version bigint not null,
    begun_at timestamptz not null,
    projected_at timestamptz not null,
    started_at timestamptz,
    completed_at timestamptz,
    is_consistent boolean not null,
    run_id text collate "C" not null,
    tenant_id text collate "C" not null,
    project_id text collate "C" not null,
    environment_id text collate "C" not null,
    status text collate "C" not null,
    halted_by text collate "C",
    engine_run_ref jsonb,
    artifacts jsonb,
    error jsonb,
    constraint run_states_pkey primary key (run_id),
    constraint run_states_halted_by check (halted_by in ('GAP', 'FAILURE'))
) with (fillfactor = 80);

create index run_states_by_status on runstore.run_states (status, begun_at, run_id);
create index run_states_by_tenant on runstore.run_states (tenant_id, status, begun_at, run_id);

comment on table runstore.run_states is
'The projection, one row per run: the fold of its log up to last_event_seq. Its row lock keeps other projectors of '
'the run out.';
comment on column runstore.run_states.last_event_seq is 'The watermark: run_seq of the last event that was folded.';
comment on column runstore.run_states.version is 'How often the projection was written, from 0.';
comment on column runstore.run_states.begun_at is
'persisted_at of the first event: the order in which runs are listed.';
comment on column runstore.run_states.projected_at is 'When the projection was last written.';
comment on column runstore.run_states.started_at is 'emitted_at of the RunStarted that was applied.';
comment on column runstore.run_states.completed_at is 'emitted_at of the event that ended the run.';
comment on column runstore.run_states.is_consistent is 'False once an event was refused by the transitions.';
comment on column runstore.run_states.run_id is 'The run.';
comment on column runstore.run_states.tenant_id is 'Tenant of the run.';
comment on column runstore.run_states.project_id is 'Project of the run.';
comment on column runstore.run_states.environment_id is 'Environment of the run.';
comment on column runstore.run_states.status is 'State of the run, a row of statuses.';
comment on column runstore.run_states.halted_by is
'Why the projection stands still: GAP, an event is missing; FAILURE, folding failed and the run is parked.';
comment on column runstore.run_states.engine_run_ref is 'How the engine names the run, from RunStarted.';
comment on column runstore.run_states.artifacts is 'Artifact references of RunCompleted.';
comment on column runstore.run_states.error is 'Error of RunFailed.';
comment on index runstore.run_states_pkey is 'One row per run.';
comment on index runstore.run_states_by_status is 'Listing runs by status, newest first.';
comment on index runstore.run_states_by_tenant is 'Listing one tenant''s runs by status, newest first.';
