create table runstore.event_types (
    event_type text collate "C" not null,
    step_rule text collate "C" not null,
    is_signal boolean not null default false,
    constraint event_types_pkey primary key (event_type),
    constraint event_types_step_rule check (step_rule in ('REQUIRED', 'FORBIDDEN', 'OPTIONAL'))
);

comment on table runstore.event_types is
'The event types that the store has rules for. Types that are not here are stored all the same.';
comment on column runstore.event_types.event_type is 'Name of the type.';
comment on column runstore.event_types.step_rule is 'Whether an event of this type names a step.';
comment on column runstore.event_types.is_signal is
'Whether the signal limits apply. The index run_events_signals names the same types.';
comment on index runstore.event_types_pkey is 'One row per type.';

insert into runstore.event_types (event_type, step_rule, is_signal) values
('RunQueued', 'FORBIDDEN', false),
('RunApproved', 'FORBIDDEN', false),
('RunStarted', 'FORBIDDEN', false),
('RunPaused', 'FORBIDDEN', false),
('RunResumed', 'FORBIDDEN', false),
('RunCompleted', 'FORBIDDEN', false),
('RunFailed', 'FORBIDDEN', false),
('RunCancelled', 'FORBIDDEN', false),
('StepStarted', 'REQUIRED', false),
('StepCompleted', 'REQUIRED', false),
('StepFailed', 'REQUIRED', false),
('StepSkipped', 'REQUIRED', false),
('SignalAccepted', 'OPTIONAL', true),
('SignalRejected', 'OPTIONAL', true);
