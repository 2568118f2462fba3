create table runstore.statuses (
    machine text collate "C" not null,
    status text collate "C" not null,
    code text collate "C" not null,
    is_terminal boolean not null,
    constraint statuses_pkey primary key (machine, status),
    constraint statuses_code_key unique (machine, code),
    constraint statuses_machine check (machine in ('RUN', 'STEP')),
    constraint statuses_code check (code ~ '^[A-Z]$')
);

comment on table runstore.statuses is 'The states of the two machines, run and step. Both begin at PENDING.';
comment on column runstore.statuses.machine is 'RUN or STEP.';
comment on column runstore.statuses.status is 'Name of the state, as snapshots show it.';
comment on column runstore.statuses.code is
'One upper-case letter that stands for the state while events are folded; the lower-case letter stands for the same '
'state after an event that was refused.';
comment on column runstore.statuses.is_terminal is 'Whether the machine has come to its end.';
comment on index runstore.statuses_pkey is 'One row per machine and state.';
comment on index runstore.statuses_code_key is 'One letter per state of a machine.';

insert into runstore.statuses (machine, status, code, is_terminal) values
('RUN', 'PENDING', 'P', false),
('RUN', 'APPROVED', 'A', false),
('RUN', 'RUNNING', 'R', false),
('RUN', 'PAUSED', 'U', false),
('RUN', 'COMPLETED', 'C', true),
('RUN', 'FAILED', 'F', true),
('RUN', 'CANCELLED', 'X', true),
('STEP', 'PENDING', 'P', false),
('STEP', 'RUNNING', 'R', false),
('STEP', 'SUCCESS', 'S', true),
('STEP', 'FAILED', 'F', true),
('STEP', 'SKIPPED', 'K', true);
