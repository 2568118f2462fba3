create type runstore.folded as (
    run_id text,
    machine text,
    step_id text,
    is_current boolean,
    status text,
    first_seq bigint,
    logical_attempt_id int,
    engine_attempt_id int,
    started_at timestamptz,
    completed_at timestamptz,
    engine_run_ref jsonb,
    artifacts jsonb,
    error jsonb,
    reason jsonb,
    late_from bigint,
    refusals text array
);

comment on type runstore.folded is 'A run, or one step of it, after a fold. Internal.';
comment on column runstore.folded.run_id is 'The run.';
comment on column runstore.folded.machine is 'RUN or STEP.';
comment on column runstore.folded.step_id is 'The step; null for the run.';
comment on column runstore.folded.is_current is
'Whether this is the step''s newest attempt; older ones are here only for the events that they refused.';
comment on column runstore.folded.status is 'As in run_states and run_steps.';
comment on column runstore.folded.first_seq is 'As in run_steps.';
comment on column runstore.folded.logical_attempt_id is 'As in run_steps.';
comment on column runstore.folded.engine_attempt_id is 'As in run_steps.';
comment on column runstore.folded.started_at is 'As in run_states and run_steps.';
comment on column runstore.folded.completed_at is 'As in run_states and run_steps.';
comment on column runstore.folded.engine_run_ref is 'As in run_states.';
comment on column runstore.folded.artifacts is 'As in run_states and run_steps.';
comment on column runstore.folded.error is 'As in run_states and run_steps.';
comment on column runstore.folded.reason is 'As in run_steps.';
comment on column runstore.folded.late_from is
'run_seq from which on events of this attempt are late, because a newer attempt has begun.';
comment on column runstore.folded.refusals is
'The events that the transitions refused, late ones included: the letter of the state at which each was refused, '
'followed by its run_seq.';
