create table runstore.run_counters (
    last_seq bigint not null,
    last_persisted_at timestamptz not null,
    run_id text collate "C" not null,
    tenant_id text collate "C" not null,
    project_id text collate "C" not null,
    environment_id text collate "C" not null,
    due_from_seq bigint,
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
comment on column runstore.run_counters.due_from_seq is
'run_seq of the event that noted the run in due_runs for all consumers; null once one of them has seen the last event, '
'so that the next append notes the run again.';
comment on index runstore.run_counters_pkey is 'One row per run.';
