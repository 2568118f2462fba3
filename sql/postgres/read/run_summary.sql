create type runstore.run_summary as (
    run_id text,
    tenant_id text,
    project_id text,
    environment_id text,
    status text,
    last_event_seq bigint,
    begun_at timestamptz,
    started_at timestamptz,
    completed_at timestamptz,
    consistency text,
    stale boolean,
    projected_at timestamptz,
    cursor text
);

comment on type runstore.run_summary is 'One run, as list_runs() shows it.';
comment on column runstore.run_summary.run_id is 'The run.';
comment on column runstore.run_summary.tenant_id is 'Tenant of the run.';
comment on column runstore.run_summary.project_id is 'Project of the run.';
comment on column runstore.run_summary.environment_id is 'Environment of the run.';
comment on column runstore.run_summary.status is 'State of the run.';
comment on column runstore.run_summary.last_event_seq is 'run_seq of the last event in its snapshot.';
comment on column runstore.run_summary.begun_at is 'When its first event was stored: what the list is ordered by.';
comment on column runstore.run_summary.started_at is 'When it started, by its producer.';
comment on column runstore.run_summary.completed_at is 'When it ended, by its producer.';
comment on column runstore.run_summary.consistency is 'CONSISTENT, or INCONSISTENT after an event that was refused.';
comment on column runstore.run_summary.stale is 'Whether a gap or a failure holds its projection up.';
comment on column runstore.run_summary.projected_at is 'When its snapshot was last written.';
comment on column runstore.run_summary.cursor is 'Give this to list_runs() to go on after this run.';
