create table runstore.run_steps (
    first_seq bigint not null,
    started_at timestamptz,
    completed_at timestamptz,
    logical_attempt_id int not null,
    engine_attempt_id int not null,
    run_id text collate "C" not null,
    step_id text collate "C" not null,
    status text collate "C" not null,
    artifacts jsonb,
    error jsonb,
    reason jsonb,
    constraint run_steps_pkey primary key (run_id, step_id)
) with (fillfactor = 80);

comment on table runstore.run_steps is 'The projection, one row per step: its newest logical attempt.';
comment on column runstore.run_steps.first_seq is 'run_seq of the step''s first event: its place among the steps.';
comment on column runstore.run_steps.started_at is 'emitted_at of the attempt''s StepStarted.';
comment on column runstore.run_steps.completed_at is 'emitted_at of the event that ended the attempt.';
comment on column runstore.run_steps.logical_attempt_id is 'The attempt that the row describes.';
comment on column runstore.run_steps.engine_attempt_id is 'Greatest among the attempt''s applied events.';
comment on column runstore.run_steps.run_id is 'The run.';
comment on column runstore.run_steps.step_id is 'The step.';
comment on column runstore.run_steps.status is 'State of the step, a row of statuses.';
comment on column runstore.run_steps.artifacts is 'Artifact references of the event that ended the attempt.';
comment on column runstore.run_steps.error is 'Error of StepFailed.';
comment on column runstore.run_steps.reason is 'Reason of StepSkipped.';
comment on index runstore.run_steps_pkey is 'One row per run and step.';
