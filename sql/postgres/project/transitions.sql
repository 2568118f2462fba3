create table runstore.transitions (
    machine text collate "C" not null,
    event_type text collate "C" not null,
    from_status text collate "C" not null,
    to_status text collate "C" not null,
    constraint transitions_pkey primary key (machine, event_type, from_status)
);

comment on table runstore.transitions is
'What each event does to a machine that stands at a state. An event without a row for that state is refused: it '
'changes nothing, and the run is marked inconsistent.';
comment on column runstore.transitions.machine is 'RUN, or STEP for one logical attempt of a step.';
comment on column runstore.transitions.event_type is 'The event.';
comment on column runstore.transitions.from_status is 'State before the event.';
comment on column runstore.transitions.to_status is 'State after the event.';
comment on index runstore.transitions_pkey is 'One outcome per event and state.';

insert into runstore.transitions (machine, event_type, from_status, to_status) values
('RUN', 'RunQueued', 'PENDING', 'PENDING'),
('RUN', 'RunQueued', 'APPROVED', 'APPROVED'),
('RUN', 'RunQueued', 'RUNNING', 'RUNNING'),
('RUN', 'RunQueued', 'PAUSED', 'PAUSED'),
('RUN', 'RunApproved', 'PENDING', 'APPROVED'),
('RUN', 'RunStarted', 'PENDING', 'RUNNING'),
('RUN', 'RunStarted', 'APPROVED', 'RUNNING'),
('RUN', 'RunPaused', 'RUNNING', 'PAUSED'),
('RUN', 'RunResumed', 'PAUSED', 'RUNNING'),
('RUN', 'RunCompleted', 'PENDING', 'COMPLETED'),
('RUN', 'RunCompleted', 'APPROVED', 'COMPLETED'),
('RUN', 'RunCompleted', 'RUNNING', 'COMPLETED'),
('RUN', 'RunCompleted', 'PAUSED', 'COMPLETED'),
('RUN', 'RunFailed', 'PENDING', 'FAILED'),
('RUN', 'RunFailed', 'APPROVED', 'FAILED'),
('RUN', 'RunFailed', 'RUNNING', 'FAILED'),
('RUN', 'RunFailed', 'PAUSED', 'FAILED'),
('RUN', 'RunCancelled', 'PENDING', 'CANCELLED'),
('RUN', 'RunCancelled', 'APPROVED', 'CANCELLED'),
('RUN', 'RunCancelled', 'RUNNING', 'CANCELLED'),
('RUN', 'RunCancelled', 'PAUSED', 'CANCELLED'),
('STEP', 'StepStarted', 'PENDING', 'RUNNING'),
('STEP', 'StepStarted', 'SUCCESS', 'SUCCESS'),
('STEP', 'StepStarted', 'FAILED', 'FAILED'),
('STEP', 'StepCompleted', 'PENDING', 'SUCCESS'),
('STEP', 'StepCompleted', 'RUNNING', 'SUCCESS'),
('STEP', 'StepFailed', 'PENDING', 'FAILED'),
('STEP', 'StepFailed', 'RUNNING', 'FAILED'),
('STEP', 'StepSkipped', 'PENDING', 'SKIPPED');
